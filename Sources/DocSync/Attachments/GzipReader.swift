/// Unpacks content in the gzip format (RFC 1951 and 1952) while it arrives in chunks of any size. CouchDB sends texts
/// in this form.
///
/// It keeps less than 256 KiB of what it has unpacked, and returns pieces of at most 64 KiB, however small the packed
/// content is. It is a state machine and performs no I/O.
package struct GzipReader: Sendable {
    private enum State {
        case head, block, tables, codes, trailer, end
        case stored(Int)
        case copy(length: Int, distance: Int)
    }

    static let pieceByteCount = 64 << 10
    private static let windowByteCount = 32 << 10
    /// The maximum size of the head, which can contain a file name and a comment.
    private static let headByteLimit = 64 << 10

    private var input = BitReader()
    private var state = State.head
    private var isLastBlock = false
    private var literals = HuffmanCode()
    private var distances = HuffmanCode()
    /// The bytes unpacked last, and then the piece that is being unpacked.
    private var output: [UInt8] = []
    /// Where the piece begins in the output.
    private var pieceStart = 0
    private var byteCount: UInt64 = 0
    private var checksum = CRC32()
    private var isFinished = false
    private var failure: MessageError?

    package init() {}

    /// Adds the next chunk. Call ``next()`` until it returns `nil` before.
    package mutating func append(_ chunk: [UInt8]) { input.append(chunk) }

    /// Marks the content as complete, so that ``next()`` reports what is missing.
    package mutating func finish() { isFinished = true }

    /// Returns the next piece; `nil` if more input is needed or the content has ended.
    ///
    /// - Throws: ``MessageError``. Later calls throw it again.
    package mutating func next() throws(MessageError) -> [UInt8]? {
        if let failure { throw failure }
        do throws(MessageError) {
            while output.count - pieceStart < Self.pieceByteCount {
                let mark = input.mark
                if try !step() {
                    input.reset(to: mark)
                    break
                }
            }
            if output.count > pieceStart { return takePiece() }
            if isFinished {
                guard case .end = state else {
                    throw MessageError(.truncated, "An attachment in the gzip format ends too early; ask for it again.")
                }
            }
            return nil
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func takePiece() -> [UInt8] {
        let piece = Array(output[pieceStart...])
        byteCount += UInt64(piece.count)
        checksum.update(piece)
        if output.count > Self.windowByteCount + Self.pieceByteCount {
            output.removeSubrange(..<(output.count - Self.windowByteCount))
        }
        pieceStart = output.count
        return piece
    }

    /// Does the next small step. Returns false if more input is needed, or at the end.
    private mutating func step() throws(MessageError) -> Bool {
        switch state {
        case .head: return try readHead()
        case .block: return try readBlockHead()
        case .tables: return try readTables()
        case .codes: return try readCode()
        case .stored(let count): return readStored(count)
        case .copy(let length, let distance): return try copy(length, distance)
        case .trailer: return try readTrailer()
        case .end:
            guard input.isEmpty else { throw malformed("more follows after its end") }
            return false
        }
    }

    private func malformed(_ reason: String) -> MessageError {
        MessageError(.malformed, "An attachment in the gzip format is malformed: \(reason); ask for it again.")
    }
}

// MARK: - Head and trailer

extension GzipReader {
    private mutating func readHead() throws(MessageError) -> Bool {
        let byteCount = input.byteCount
        guard try readWholeHead() else {
            guard byteCount <= Self.headByteLimit else { throw malformed("its head is too large") }
            return false
        }
        state = .block
        return true
    }

    private mutating func readWholeHead() throws(MessageError) -> Bool {
        guard let head = input.bytes(10) else { return false }
        guard head[0] == 0x1f, head[1] == 0x8b, head[2] == 8, head[3] & 0xe0 == 0 else {
            throw malformed("it does not begin as gzip")
        }
        let flags = head[3]
        if flags & 4 != 0 {
            guard let count = input.bytes(2), input.bytes(Int(count[0]) | Int(count[1]) << 8) != nil else {
                return false
            }
        }
        // A file name and a comment, each with a zero byte at the end.
        for flag in [UInt8(8), 16] where flags & flag != 0 {
            repeat {
                guard let byte = input.bytes(1) else { return false }
                if byte[0] == 0 { break }
            } while true
        }
        return flags & 2 == 0 || input.bytes(2) != nil
    }

    private mutating func readTrailer() throws(MessageError) -> Bool {
        // The checksum covers whole pieces.
        guard output.count == pieceStart else { return false }
        input.skipToByte()
        guard let trailer = input.bytes(8) else { return false }
        func number(_ start: Int) -> UInt32 {
            (start..<start + 4).reversed().reduce(0) { $0 << 8 | UInt32(trailer[$1]) }
        }
        guard number(0) == checksum.value, number(4) == UInt32(truncatingIfNeeded: byteCount) else {
            throw malformed("its checksum is wrong")
        }
        state = .end
        return true
    }
}

// MARK: - Blocks

extension GzipReader {
    private mutating func readBlockHead() throws(MessageError) -> Bool {
        guard !isLastBlock else {
            state = .trailer
            return true
        }
        guard let bits = input.bits(3) else { return false }
        switch bits >> 1 {
        case 0:
            input.skipToByte()
            guard let head = input.bytes(4) else { return false }
            let count = Int(head[0]) | Int(head[1]) << 8
            guard count == ~(Int(head[2]) | Int(head[3]) << 8) & 0xffff else {
                throw malformed("the length of a block is wrong")
            }
            state = .stored(count)
        case 1:
            literals = .fixedLiterals
            distances = .fixedDistances
            state = .codes
        case 2: state = .tables
        default: throw malformed("a block has an unknown kind")
        }
        isLastBlock = bits & 1 == 1
        return true
    }

    private mutating func readStored(_ count: Int) -> Bool {
        guard count > 0 else {
            state = .block
            return true
        }
        let room = Self.pieceByteCount - (output.count - pieceStart)
        let bytes = input.availableBytes(min(count, room))
        guard !bytes.isEmpty else { return false }
        output += bytes
        state = .stored(count - bytes.count)
        return true
    }

    private mutating func readTables() throws(MessageError) -> Bool {
        guard let literalCount = input.bits(5).map({ $0 + 257 }), let distanceCount = input.bits(5).map({ $0 + 1 }),
            let orderCount = input.bits(4).map({ $0 + 4 })
        else { return false }
        guard literalCount <= 286, distanceCount <= 30 else { throw malformed("a block has too many codes") }
        var lengths = [UInt8](repeating: 0, count: 19)
        for position in 0..<orderCount {
            guard let length = input.bits(3) else { return false }
            lengths[Self.lengthOrder[position]] = UInt8(length)
        }
        guard let lengthCode = HuffmanCode(lengths), !lengthCode.isIncomplete else {
            throw malformed("a code of a block is invalid")
        }
        lengths = []
        while lengths.count < literalCount + distanceCount {
            guard let symbol = try decode(lengthCode) else { return false }
            if symbol < 16 {
                lengths.append(UInt8(symbol))
                continue
            }
            let (bitCount, base) = symbol == 16 ? (2, 3) : symbol == 17 ? (3, 3) : (7, 11)
            guard let extra = input.bits(bitCount) else { return false }
            guard symbol > 16 || !lengths.isEmpty, lengths.count + base + extra <= literalCount + distanceCount else {
                throw malformed("the lengths of codes are invalid")
            }
            let length = symbol == 16 ? lengths[lengths.count - 1] : 0
            lengths += [UInt8](repeating: length, count: base + extra)
        }
        guard lengths[256] > 0, let literals = HuffmanCode(Array(lengths[..<literalCount])),
            let distances = HuffmanCode(Array(lengths[literalCount...])),
            !literals.isIncomplete || literals.symbolCount == 1,
            !distances.isIncomplete || distances.symbolCount <= 1
        else { throw malformed("a code of a block is invalid") }
        self.literals = literals
        self.distances = distances
        state = .codes
        return true
    }

    private mutating func readCode() throws(MessageError) -> Bool {
        guard let symbol = try decode(literals) else { return false }
        if symbol < 256 {
            output.append(UInt8(symbol))
            return true
        }
        if symbol == 256 {
            state = .block
            return true
        }
        guard symbol <= 285 else { throw malformed("a length is invalid") }
        guard let lengthExtra = input.bits(Self.lengthBits[symbol - 257]), let code = try decode(distances) else {
            return false
        }
        guard code < 30 else { throw malformed("a distance is invalid") }
        guard let distanceExtra = input.bits(Self.distanceBits[code]) else { return false }
        state = .copy(
            length: Self.lengthBases[symbol - 257] + lengthExtra, distance: Self.distanceBases[code] + distanceExtra)
        return true
    }

    private mutating func copy(_ length: Int, _ distance: Int) throws(MessageError) -> Bool {
        guard distance <= output.count else { throw malformed("a distance is invalid") }
        for _ in 0..<length { output.append(output[output.count - distance]) }
        state = .codes
        return true
    }

    /// Decodes a symbol; `nil` if more input is needed.
    private mutating func decode(_ code: HuffmanCode) throws(MessageError) -> Int? {
        var value = 0
        var first = 0
        var index = 0
        for length in 1..<16 {
            guard let bit = input.bits(1) else { return nil }
            value |= bit
            let count = code.counts[length]
            if value - count < first { return Int(code.symbols[index + value - first]) }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        throw malformed("a code is unknown")
    }

    private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
        6145,
        8193, 12289, 16385, 24577,
    ]
    private static let distanceBits = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
    ]
}
