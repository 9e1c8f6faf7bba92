/// The length of a document as one byte: exact up to 40 words, then in steps of a sixteenth.
///
/// BM25 hardly tells 200 words from 210. One byte for each document lets the norms of a million documents stay in
/// memory. Stored on disk, never change.
enum TextNorm {
    /// The length that each code stands for.
    static let lengths: [UInt32] = {
        var lengths = (0...40).map { UInt32($0) }
        while lengths.count < 256 {
            lengths.append(lengths[lengths.count - 1] + max(1, lengths[lengths.count - 1] / 16))
        }
        return lengths
    }()

    /// The code of the largest length that is not above this one.
    static func code(_ length: Int) -> UInt8 {
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
