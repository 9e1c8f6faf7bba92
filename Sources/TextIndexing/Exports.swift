// Errors and queries of this module have types of documents in their interface. Every file sees these types.
@_exported public import DocumentModel
