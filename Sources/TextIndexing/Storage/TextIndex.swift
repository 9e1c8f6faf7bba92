package import LevelKit

/// A full-text index of the string fields of documents.
///
/// Postings are stored in segments (``TextSegment``); documents not yet in a segment are searched in memory
/// (``InMemoryIndex``). For scoring, all fields of the index count as one text; each posting records the fields in which
/// the term occurs. Values that are not strings and documents without words are ignored.
package final class TextIndex: Sendable {
    /// The number in the catalog.
    package let number: UInt32
    /// The name, for messages.
    package let name: String
    package let fields: [TextField]
    /// The languages of documents; `nil` if all documents use the languages of the fields.
    let languages: DocumentLanguages?
    /// The weight of an occurrence in each field.
    package let weights: [UInt32]
    /// Objects that searches reuse.
    let tools = SearchTools()

    package init(number: UInt32, name: String, fields: [TextField], languages: DocumentLanguages? = nil) {
        self.number = number
        self.name = name
        self.fields = fields
        self.languages = languages
        weights = fields.map { UInt32(clamping: $0.weight) }
    }

    /// Whether postings record their fields.
    var hasFields: Bool { weights.count > 1 }

    /// Replaces the contents of `words` with the words of a document.
    package func analyze(_ document: DocumentObject, into words: inout AnalyzedDocument) {
        words.removeAll()
        if let languages {
            words.use(fields.map(\.analyzer), of: languages.language(of: document))
        } else if words.chains.isEmpty {
            words.chains = AnalysisChain.chains(fields.map(\.analyzer))
        }
        for (number, field) in fields.enumerated() {
            field.path.forEachElement(in: document) { value in
                if case .string(let text) = value { words.append(text, field: number, weight: field.weight) }
            }
        }
    }
}

/// The change of one document in a batch.
package struct TextChange {
    let row: UInt64
    let old: DocumentObject?
    let new: DocumentObject?

    package init(row: UInt64, old: DocumentObject?, new: DocumentObject?) {
        self.row = row
        self.old = old
        self.new = new
    }
}

/// A text index, and the documents that it indexes.
package struct TextIndexSource {
    let index: TextIndex
    /// Whether the index was built by the rules of this version of the library. By others, a document may have other
    /// words; the index is being rebuilt.
    let isCurrent: Bool
    /// Returns the document of a row as a reader sees it; `nil` if there is none.
    let document: (_ row: UInt64, _ reader: any KeyValueReader) throws -> DocumentObject?

    package init(
        index: TextIndex, isCurrent: Bool,
        document: @escaping (_ row: UInt64, _ reader: any KeyValueReader) throws -> DocumentObject?
    ) {
        self.index = index
        self.isCurrent = isCurrent
        self.document = document
    }
}

/// The text indexes of a store.
package protocol TextIndexDirectory {
    /// All text indexes, including those being built.
    var textIndexes: [TextIndexSource] { get }
    /// Returns the text index with a number; `nil` if no text index has it.
    func textIndex(numbered number: UInt32) -> TextIndexSource?
}
