internal import DocIndex

/// Splits a JSON message into its parts while it arrives in chunks of any size.
///
/// The message is a long array, or an object with one long array as a member:
///
///     {"results": [element, element, …], "last_seq": member, "pending": member}
///
/// Elements and members are returned as soon as they are complete, without a check of their content. Line feeds between
/// them, which some peers send to keep a connection open, are ignored. It is a state machine and performs no I/O.
package struct EnvelopeReader: Sendable {
    /// A part of the message.
    package enum Part: Sendable, Hashable {
        /// A member of the outer object. The array whose elements are returned is none.
        case member(name: String, text: [UInt8])
        /// An element of the array.
        case element([UInt8])
        /// An element that is larger than the limit, whose beginning is all that was kept.
        case oversized(beginning: [UInt8])
    }

    private enum State {
        case start
        case nameOrEnd, name, colon, value, afterValue
        case elementOrEnd, element, afterElement
        case end
    }

    private enum Token { case name, value, element }

    /// The length of an element in bytes above which it is not kept. Other members have the same limit, but are an
    /// error above it.
    package let byteLimit: Int
    private let arrayName: String?
    private let what: String
    private let allowsRepeatedNames: Bool

    private var state = State.start
    private var isObject = true
    private var isFinished = false
    private var failure: MessageError?
    private var token: Token?
    private var name = ""
    private var names: Set<String> = []
    private var scanner = JSONElementScanner()
    private var position = JSONError.Position()
    /// Text that has not been returned yet.
    private var buffer: [UInt8] = []
    private var tokenStart = 0
    private var scanned = 0
    /// The beginning of an element that is too large; `nil` for another element.
    private var beginning: [UInt8]?

    /// The number of bytes kept of an element that is too large.
    private static let beginningByteCount = 4096
    /// The maximum number of members of the outer object. Messages have few.
    private static let memberLimit = 1000

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - arrayName: the member whose elements are returned; `nil` if all members are returned whole.
    ///   - what: the name of the message in errors, such as "the answer of _changes".
    ///   - allowsRepeatedNames: whether the outer object may have any number of members, and several of the same name.
    package init(
        elementsOf arrayName: String?, of what: String, byteLimit: Int, allowsRepeatedNames: Bool = false
    ) {
        self.allowsRepeatedNames = allowsRepeatedNames
        self.arrayName = arrayName
        self.what = what
        self.byteLimit = byteLimit
    }

    /// The number of bytes in memory.
    package var bufferedByteCount: Int { buffer.count + (beginning?.count ?? 0) }

    /// Whether the outer object or array has ended.
    package var isComplete: Bool { state == .end }

    /// Adds the next chunk.
    ///
    /// - Complexity: O(*n*).
    package mutating func append(_ chunk: [UInt8]) {
        dropConsumed()
        if buffer.isEmpty { buffer = chunk } else { buffer += chunk }
    }

    /// Marks the text as complete, so that ``next()`` reports what is missing.
    package mutating func finish() { isFinished = true }

    /// Returns the next part; `nil` if more input is needed or the message has ended.
    ///
    /// - Throws: ``MessageError``, after all parts before the error have been returned. Later calls throw it again.
    /// - Complexity: O(*n*) in the length of the part.
    package mutating func next() throws(MessageError) -> Part? {
        if let failure { throw failure }
        do throws(MessageError) {
            return try advance()
        } catch {
            failure = error
            buffer = []
            throw error
        }
    }
}

// MARK: - States

extension EnvelopeReader {
    private mutating func advance() throws(MessageError) -> Part? {
        while true {
            if let token {
                guard try scan(token) else { break }
                self.token = nil
                if let part = try end(token) { return part }
                continue
            }
            skipWhiteSpace()
            guard scanned < buffer.count else { break }
            try step(buffer[scanned])
        }
        if isFinished, state != .end {
            throw MessageError(.truncated, "\(what) ends after \(position.offset) bytes, too early; ask again.")
        }
        return nil
    }

    /// Processes a byte between tokens, or begins a token there.
    private mutating func step(_ byte: UInt8) throws(MessageError) {
        switch (state, byte) {
        case (.start, UInt8(ascii: "{")): consume(to: .nameOrEnd)
        case (.start, UInt8(ascii: "[")):
            isObject = false
            consume(to: .elementOrEnd)
        case (.nameOrEnd, UInt8(ascii: "\"")), (.name, UInt8(ascii: "\"")): begin(.name)
        case (.nameOrEnd, UInt8(ascii: "}")), (.afterValue, UInt8(ascii: "}")): consume(to: .end)
        case (.colon, UInt8(ascii: ":")): consume(to: .value)
        case (.value, UInt8(ascii: "[")) where name == arrayName: consume(to: .elementOrEnd)
        case (.value, _): begin(.value)
        case (.afterValue, UInt8(ascii: ",")): consume(to: .name)
        case (.elementOrEnd, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")):
            consume(to: isObject ? .afterValue : .end)
        case (.elementOrEnd, _), (.element, _): begin(.element)
        case (.afterElement, UInt8(ascii: ",")): consume(to: .element)
        default: throw malformed("the byte \(byte) is not expected there")
        }
    }

    private mutating func consume(to next: State) {
        state = next
        scanned += 1
        position.offset += 1
    }

    private mutating func begin(_ token: Token) {
        self.token = token
        tokenStart = scanned
        scanner = JSONElementScanner()
    }

    /// Scans more of a token. Returns true at its end.
    private mutating func scan(_ token: Token) throws(MessageError) -> Bool {
        // A separate reference, because a span of `buffer` would prevent changes to the rest of `self`.
        let text = buffer
        let isComplete: Bool
        do throws(JSONError) {
            isComplete = try scanner.scan(text.span, from: &scanned, position: &position)
        } catch {
            throw malformed(error.message)
        }
        guard beginning != nil || scanned - tokenStart > byteLimit else { return isComplete }
        guard token == .element else {
            throw MessageError(
                .tooLarge, "A part of \(what) is larger than \(byteLimit) bytes; raise the limit for documents.")
        }
        if beginning == nil {
            beginning = Array(buffer[tokenStart..<scanned].prefix(min(Self.beginningByteCount, byteLimit)))
        }
        buffer.removeSubrange(..<scanned)
        scanned = 0
        tokenStart = 0
        return isComplete
    }

    /// Returns what a complete token is; `nil` for a name.
    private mutating func end(_ token: Token) throws(MessageError) -> Part? {
        let text = buffer[tokenStart..<scanned]
        switch token {
        case .name:
            name = try parsedName(Array(text))
            guard allowsRepeatedNames || names.count < Self.memberLimit && names.insert(name).inserted else {
                throw malformed("a name occurs twice, or there are too many names")
            }
            state = .colon
            return nil
        case .value:
            state = .afterValue
            return .member(name: name, text: Array(text))
        case .element:
            state = .afterElement
            guard let beginning else { return .element(Array(text)) }
            self.beginning = nil
            return .oversized(beginning: beginning)
        }
    }

    private func parsedName(_ text: [UInt8]) throws(MessageError) -> String {
        do throws(JSONError) {
            if case .string(let name) = try JSONParser().parse(text) { return name }
        } catch {
            throw malformed(error.message)
        }
        throw malformed("a name is not a string")
    }

    private func malformed(_ reason: String) -> MessageError {
        MessageError(.malformed, "\(what) is malformed at byte \(position.offset): \(reason)")
    }

    private mutating func skipWhiteSpace() {
        let start = scanned
        while scanned < buffer.count, buffer[scanned].isJSONSpace { scanned += 1 }
        position.offset += scanned - start
    }

    private mutating func dropConsumed() {
        let consumed = token == nil ? scanned : tokenStart
        if consumed == buffer.count { buffer.removeAll() } else { buffer.removeSubrange(..<consumed) }
        scanned -= consumed
        tokenStart -= consumed
    }
}
