/// Splits the body of one multipart message into its parts. ``MultipartReader`` combines two of them for parts that are
/// multipart messages themselves.
struct BoundaryReader: Sendable {
    private enum State { case preamble, head, body, epilogue }

    /// The text after a boundary.
    private enum Match: Equatable {
        case none
        /// Undecided until more input arrives.
        case undecided
        /// A part begins after this number of bytes.
        case part(Int)
        /// No part follows.
        case end
    }

    /// The maximum size of the header fields of a part, in bytes.
    static let headByteLimit = 16 << 10
    /// The maximum number of bytes of a boundary. RFC 2046 permits 70.
    private static let boundaryByteLimit = 200
    /// The maximum number of spaces and tabs after a boundary. Nobody writes any, but RFC 2046 permits them.
    private static let paddingByteLimit = 64
    private static let lineBreak: [UInt8] = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    private static let hyphens: [UInt8] = [UInt8(ascii: "-"), UInt8(ascii: "-")]

    private let what: String
    /// The line break, the hyphens and the boundary.
    private let delimiter: [UInt8]
    private var state = State.preamble
    /// Whether a delimiter needs no line break at the current place: at the beginning of the message, and where a body
    /// begins, since the empty line before an empty body may be that line break.
    private var isAfterLineBreak = true
    private var buffer: [UInt8] = []
    private var offset = 0
    private var isFinished = false
    private var failure: MessageError?
    /// The header fields of the current head so far, and the size of their lines in bytes.
    private var head: [(name: String, value: String)] = []
    private var headByteCount = 0
    /// The number of bytes of the current line of the head in which no line break begins.
    private var scannedByteCount = 0
    /// The number of bytes of the current body so far, and the number that the head states.
    private var bodyByteCount: Int64 = 0
    private var statedByteCount: Int64?

    /// Creates a reader.
    ///
    /// - Throws: ``MessageError`` with `malformed` if the type is not multipart or has no usable boundary.
    init(_ type: MediaType, of what: String) throws(MessageError) {
        guard type.isMultipart else {
            throw MessageError(.malformed, "\(what) has the type \(type.name) instead of multipart; check the peer.")
        }
        guard let boundary = type["boundary"], 1...Self.boundaryByteLimit ~= boundary.utf8.count else {
            throw MessageError(
                .malformed,
                "The type of \(what) has no boundary of at most \(Self.boundaryByteLimit) bytes; check the peer.")
        }
        self.what = what
        delimiter = Self.lineBreak + Self.hyphens + Array(boundary.utf8)
    }

    var bufferedByteCount: Int { buffer.count }

    mutating func append(_ chunk: [UInt8]) {
        guard state != .epilogue else { return }
        if offset == buffer.count {
            buffer = chunk
        } else {
            buffer.removeSubrange(..<offset)
            buffer += chunk
        }
        offset = 0
    }

    mutating func finish() { isFinished = true }

    /// Returns the next event; `nil` if more input is needed, or after the last part.
    mutating func next() throws(MessageError) -> MultipartReader.Part? {
        if let failure { throw failure }
        do throws(MessageError) {
            return try advance()
        } catch {
            failure = error
            buffer = []
            offset = 0
            throw error
        }
    }

    private mutating func advance() throws(MessageError) -> MultipartReader.Part? {
        while true {
            switch state {
            case .preamble:
                guard case (let end, let match)? = findDelimiter() else { return try needMore() }
                if end > offset { isAfterLineBreak = false }
                offset = end
                if match != .none { pass(match) }
            case .head:
                guard let fields = try readHead() else { return try needMore() }
                bodyByteCount = 0
                if fields["Content-Length"] != nil {
                    guard let count = fields.count("Content-Length") else {
                        throw malformed("a Content-Length is not a number")
                    }
                    statedByteCount = count
                } else {
                    statedByteCount = nil
                }
                state = .body
                isAfterLineBreak = true
                return .head(fields)
            case .body:
                guard case (let end, let match)? = findDelimiter() else { return try needMore() }
                if end > offset { return try takeBody(to: end) }
                if let statedByteCount, statedByteCount != bodyByteCount { throw wrongLength() }
                pass(match)
                return .end
            case .epilogue:
                buffer = []
                offset = 0
                return nil
            }
        }
    }

    private func needMore() throws(MessageError) -> MultipartReader.Part? {
        guard isFinished else { return nil }
        throw MessageError(.truncated, "\(what) ends before its last boundary; ask again.")
    }

    /// Finds the next delimiter.
    ///
    /// - Returns: the place of the delimiter and what follows it. If there is none, the end of what certainly belongs to
    ///   no delimiter, and `none`. `nil` if that is nothing.
    private func findDelimiter() -> (end: Int, match: Match)? {
        if isAfterLineBreak {
            switch match(at: offset, delimiter.dropFirst(Self.lineBreak.count)) {
            case .none: break
            case .undecided: return nil
            case let match: return (offset, match)
            }
        }
        var place = offset
        while let lineBreak = buffer[place...].firstIndex(of: UInt8(ascii: "\r")) {
            switch match(at: lineBreak, delimiter[...]) {
            case .none: place = lineBreak + 1
            case .undecided: return lineBreak > offset ? (lineBreak, .none) : nil
            case let match: return (lineBreak, match)
            }
        }
        return buffer.count > offset ? (buffer.count, .none) : nil
    }

    private func match(at start: Int, _ pattern: ArraySlice<UInt8>) -> Match {
        var place = start
        for byte in pattern {
            guard place < buffer.count else { return .undecided }
            guard buffer[place] == byte else { return .none }
            place += 1
        }
        if place < buffer.count, buffer[place] == UInt8(ascii: "-") {
            guard place + 1 < buffer.count else { return .undecided }
            return buffer[place + 1] == UInt8(ascii: "-") ? .end : .none
        }
        let padding = buffer[place...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.count
        guard padding <= Self.paddingByteLimit else { return .none }
        place += padding
        for byte in Self.lineBreak {
            guard place < buffer.count else { return .undecided }
            guard buffer[place] == byte else { return .none }
            place += 1
        }
        return .part(place - start)
    }

    /// Moves past a delimiter at the current place.
    private mutating func pass(_ match: Match) {
        if case .part(let byteCount) = match {
            offset += byteCount
            state = .head
        } else {
            state = .epilogue
        }
    }

    private mutating func takeBody(to end: Int) throws(MessageError) -> MultipartReader.Part {
        bodyByteCount += Int64(end - offset)
        if let statedByteCount, bodyByteCount > statedByteCount { throw wrongLength() }
        isAfterLineBreak = false
        let piece: [UInt8]
        if offset == 0, end == buffer.count {
            piece = buffer
            buffer = []
        } else {
            piece = Array(buffer[offset..<end])
            offset = end
        }
        return .body(piece)
    }

    private func malformed(_ reason: String) -> MessageError {
        MessageError(.malformed, "\(what) is malformed: \(reason); check the peer.")
    }

    private func wrongLength() -> MessageError {
        let stated = statedByteCount.map { "\($0)" } ?? "no"
        return malformed("a part states \(stated) bytes and has \(bodyByteCount) or more before its boundary")
    }
}

// MARK: - Header fields

extension BoundaryReader {
    /// Reads the header fields of a part with the empty line after them; `nil` if more input is needed.
    private mutating func readHead() throws(MessageError) -> HeaderFields? {
        while let end = endOfLine() {
            let text = buffer[offset..<end]
            headByteCount += text.count + Self.lineBreak.count
            guard headByteCount <= Self.headByteLimit else { throw largeHead() }
            try readLine(text)
            offset = end + Self.lineBreak.count
            scannedByteCount = 0
            if text.isEmpty {
                var fields = HeaderFields()
                for field in head { fields.append(field.name, field.value) }
                head = []
                headByteCount = 0
                return fields
            }
        }
        guard headByteCount + buffer.count - offset <= Self.headByteLimit else { throw largeHead() }
        return nil
    }

    private mutating func readLine(_ text: ArraySlice<UInt8>) throws(MessageError) {
        guard let first = text.first else { return }
        if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t"), !head.isEmpty {
            head[head.count - 1].value += " " + Self.trimmed(text)
            return
        }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex else {
            throw malformed("a line before the content of a part is not a header field")
        }
        head.append((Self.trimmed(text[..<colon]), Self.trimmed(text[(colon + 1)...])))
    }

    /// Returns the end of the current line; `nil` if more input is needed.
    private mutating func endOfLine() -> Int? {
        var place = offset + scannedByteCount
        while let carriageReturn = buffer[place...].firstIndex(of: UInt8(ascii: "\r")) {
            guard carriageReturn + 1 < buffer.count else {
                scannedByteCount = carriageReturn - offset
                return nil
            }
            if buffer[carriageReturn + 1] == UInt8(ascii: "\n") { return carriageReturn }
            place = carriageReturn + 1
        }
        scannedByteCount = buffer.count - offset
        return nil
    }

    private func largeHead() -> MessageError {
        MessageError(
            .tooLarge,
            "The header fields of a part of \(what) are larger than \(Self.headByteLimit) bytes; check the peer.")
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(decoding: text[first...last], as: UTF8.self)
    }
}
