/// The length of a document in one byte: exact up to 40 words, then in steps of one sixteenth.
///
/// BM25 hardly distinguishes 200 words from 210, and with one byte per document, the norms of a million documents fit
/// in memory. Part of the on-disk format; must not change.
package enum TextNorm {
    /// The length of each code.
    static let lengths: [UInt32] = {
        var lengths = (0...40).map { UInt32($0) }
        while lengths.count < 256 {
            lengths.append(lengths[lengths.count - 1] + max(1, lengths[lengths.count - 1] / 16))
        }
        return lengths
    }()

    /// Returns the code of the largest length that is at most this one.
    package static func code(_ length: Int) -> UInt8 {
        if length <= 40 { return UInt8(max(0, length)) }
        var lower = 40
        var upper = 256
        while upper - lower > 1 {
            let middle = (lower + upper) / 2
            if Int(lengths[middle]) <= length { lower = middle } else { upper = middle }
        }
        return UInt8(lower)
    }
}
