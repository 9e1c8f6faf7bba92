import DocIndex

/// Not that of the Testing library.
typealias Attachment = DocIndex.Attachment
