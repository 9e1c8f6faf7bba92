/// Totals over all documents of a text index.
package struct IndexStatistics: Sendable, Hashable {
    /// The number of documents with at least one word.
    package internal(set) var documents: Int64 = 0
    /// The number of words in all documents.
    var words: Int64 = 0

    package init(documents: Int64 = 0, words: Int64 = 0) {
        self.documents = documents
        self.words = words
    }

    package static func += (sum: inout IndexStatistics, other: IndexStatistics) {
        sum.documents += other.documents
        sum.words += other.words
    }

    static func -= (sum: inout IndexStatistics, other: IndexStatistics) {
        sum.documents -= other.documents
        sum.words -= other.words
    }
}
