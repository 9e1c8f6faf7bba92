/// Splits text into its lines while it arrives in chunks of any size. Empty lines are left out.
package struct LineReader: Sendable {
    /// A line.
    package enum Line: Sendable, Hashable {
        /// A whole line without its end.
        case text([UInt8])
        /// A line that is larger than the limit, whose beginning is all that was kept.
        case oversized(beginning: [UInt8])
    }

    /// The length of a line in bytes above which it is not kept.
    package let byteLimit: Int
    private var buffer: [UInt8] = []
    /// Where the current line begins in the buffer.
    private var start = 0
    /// The number of bytes of the buffer that are known to contain no end of the current line.
    private var scanned = 0
    private var beginning: [UInt8]?

    private static let beginningByteCount = 4096

    /// Creates a reader.
    package init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// The number of bytes in memory.
    package var bufferedByteCount: Int { buffer.count + (beginning?.count ?? 0) }

    /// Whether the text ends inside a line.
    package var isInsideLine: Bool {
        beginning != nil || buffer[start...].contains { !$0.isJSONSpace }
    }

    /// Adds the next chunk.
    package mutating func append(_ chunk: [UInt8]) {
        buffer.removeSubrange(..<start)
        scanned -= start
        start = 0
        buffer += chunk
    }

    /// Returns the next line that is complete; `nil` if more input is needed.
    ///
    /// - Complexity: O(*n*) in the length of the line.
    package mutating func next() -> Line? {
        while let end = endOfLine() {
            let text = buffer[start..<end].trimmed
            start = end + 1
            scanned = start
            if let beginning {
                self.beginning = nil
                return .oversized(beginning: beginning)
            }
            if text.count > byteLimit { return .oversized(beginning: Array(text.prefix(Self.beginningByteCount))) }
            if !text.isEmpty { return .text(Array(text)) }
        }
        if scanned - start > byteLimit || beginning != nil {
            if beginning == nil { beginning = Array(buffer[start..<scanned].prefix(Self.beginningByteCount)) }
            start = scanned
        }
        return nil
    }

    private mutating func endOfLine() -> Int? {
        while scanned < buffer.count {
            if buffer[scanned] == UInt8(ascii: "\n") { return scanned }
            scanned += 1
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without JSON's white space at both ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        guard let first = firstIndex(where: { !$0.isJSONSpace }), let last = lastIndex(where: { !$0.isJSONSpace })
        else { return [] }
        return self[first...last]
    }
}
