@_exported public import DocumentModel
