/// The postings of a term in a segment, not decoded.
final class StoredPostings {
    let record: TermRecord
    let segment: SegmentReader
    let cache: TermCache
    let term: [UInt8]

    init(_ record: TermRecord, _ segment: SegmentReader, _ cache: TermCache, _ term: [UInt8]) {
        self.record = record
        self.segment = segment
        self.cache = cache
        self.term = term
    }
}
