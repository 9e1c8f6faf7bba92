internal import LevelKit

/// The words of an index.
extension TextSearch {
    /// Returns the terms that begin with a prefix and occur in at least one live document.
    package func terms(from prefix: [UInt8]) throws -> [(word: String, documentCount: Int)] {
        var counts: [[UInt8]: Int] = [:]
        for segment in view.structure.segments {
            let segments = SegmentReader(reader: reader, index: index, segment: segment)
            try segments.forEachTerm(from: prefix) { counts[$0, default: 0] += $1 }
        }
        for part in view.unwritten {
            for term in part.pending.terms(from: prefix) {
                let (postings, tombstoneCount) = part.pending.postings(of: term, part.limit)
                counts[term, default: 0] += postings.slots.count - tombstoneCount
            }
        }
        return counts.filter { $0.value > 0 && $0.key.first != AnalysisChain.stemMark }.map {
            (String(decoding: $0.key, as: UTF8.self), $0.value)
        }
    }

    /// Returns a query for the words of a document with the highest tf-idf weight.
    package func characteristicWords(of document: DocumentObject, count: Int) throws -> ResolvedQuery {
        var words = AnalyzedDocument()
        index.analyze(document, into: &words)
        var weighed: [(term: [UInt8], weight: Double)] = []
        for (term, frequency) in words.terms.counted.prefix(2000) where term.first != AnalysisChain.stemMark {
            let documentFrequency = try self.documentFrequency(of: Array(term))
            // A word that no other document contains finds nothing.
            if documentFrequency < 2 { continue }
            weighed.append((Array(term), Double(frequency) * weight(ofFrequency: documentFrequency)))
        }
        weighed.sort { $0.weight != $1.weight ? $0.weight > $1.weight : $0.term.lexicographicallyPrecedes($1.term) }
        let best = weighed.prefix(max(0, count))
        return best.isEmpty ? .nothing : .or(best.map { .word([ResolvedQuery.Term(key: .term($0.term))]) })
    }
}
