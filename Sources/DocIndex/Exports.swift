// Documents, JSON and errors, text queries, analyzers and marked matches belong to the interface of DocIndex. Every file
// of this module sees them without an import of its own.
@_exported public import DocumentModel
@_exported public import TextIndexing
