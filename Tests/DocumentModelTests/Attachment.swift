import DocumentModel

/// Not that of the Testing library.
typealias Attachment = DocumentModel.Attachment
