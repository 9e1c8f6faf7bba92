extension JSONParser {
    /// Splits a JSON array into its elements while its text arrives in pieces.
    ///
    /// A file that contains one large array (as `exiftool -json` writes) is read with only one piece and one element in
    /// memory:
    ///
    ///     var stream = JSONParser.ElementStream()
    ///     while let chunk = readChunk() {
    ///         stream.append(chunk)
    ///         while let element = try stream.next() { use(try element.value()) }
    ///     }
    ///     stream.finish()
    ///     while let element = try stream.next() { use(try element.value()) }
    ///
    /// The stream looks only at quotes, brackets and commas to find where elements end. The content of an element is
    /// checked when it is parsed. The stream is a state machine and performs no I/O.
    public struct ElementStream: Sendable {
        /// The text of an array element.
        public struct Element: Sendable, Hashable {
            /// The position in the array, from 0.
            public let index: Int
            /// The start of the element in the whole text.
            public let start: JSONError.Position
            /// The text of the element, without surrounding whitespace.
            public let bytes: [UInt8]

            /// Parses the element.
            ///
            /// - Throws: ``JSONError`` with a position in the whole text.
            public func value(notation: DocumentValue.JSONNotation = .plain) throws(JSONError) -> DocumentValue {
                try JSONParser(notation: notation, start: start).parse(bytes)
            }
        }

        private enum State {
            case beforeArray
            case beforeFirstElement
            case beforeElement
            case inElement
            case afterElement
            case afterArray
            case failed(JSONError)
        }

        /// The maximum length of an element in bytes. It limits the memory used if a quote is missing.
        public let elementByteLimit: Int

        private var state = State.beforeArray
        private var isFinished = false
        private var elementCount = 0
        /// Text that has not been returned yet, starting at the current element.
        private var buffer: [UInt8] = []
        /// The number of bytes of `buffer` already scanned.
        private var scanned = 0
        /// The position of `buffer[scanned]` in the whole text.
        private var position = JSONError.Position()
        /// The start of the current element in `buffer` and in the whole text.
        private var elementStart = (offset: 0, position: JSONError.Position())
        private var scanner = JSONElementScanner()

        /// Creates a stream.
        public init(elementByteLimit: Int = 64 << 20) {
            self.elementByteLimit = elementByteLimit
        }

        /// Appends the next piece of text, of any length.
        ///
        /// - Precondition: ``finish()`` has not been called.
        /// - Complexity: O(*n*).
        public mutating func append(_ chunk: Span<UInt8>) {
            precondition(!isFinished, "Text cannot be appended to a stream that is finished.")
            dropConsumed()
            buffer.append(contentsOf: chunk)
        }

        /// Appends the next piece of text, of any length.
        ///
        /// - Precondition: ``finish()`` has not been called.
        /// - Complexity: O(*n*).
        public mutating func append(_ chunk: [UInt8]) {
            append(chunk.span)
        }

        /// Marks the text as complete. From then on, ``next()`` reports an array that has not ended.
        public mutating func finish() {
            isFinished = true
        }

        /// Returns the next element; `nil` if more text is needed, or, after ``finish()``, if there are no more.
        ///
        /// - Throws: ``JSONError``, after all elements before the error have been returned. Later calls throw the same
        ///   error.
        /// - Complexity: O(*n*) in the length of the element.
        public mutating func next() throws(JSONError) -> Element? {
            if case .failed(let error) = state { throw error }
            do {
                return try advance()
            } catch {
                state = .failed(error)
                throw error
            }
        }
    }
}

// MARK: - States

extension JSONParser.ElementStream {
    private mutating func advance() throws(JSONError) -> Element? {
        while true {
            if case .inElement = state {
                guard try scanElement() else { break }
                state = .afterElement
                elementCount += 1
                return Element(
                    index: elementCount - 1, start: elementStart.position,
                    bytes: Array(buffer[elementStart.offset..<scanned]))
            }
            skipWhiteSpace()
            guard scanned < buffer.count else { break }
            try step(at: buffer[scanned])
        }
        if isFinished { try checkEnd() }
        return nil
    }

    /// Processes one byte between elements.
    private mutating func step(at byte: UInt8) throws(JSONError) {
        switch (state, byte) {
        case (.beforeArray, UInt8(ascii: "[")):
            state = .beforeFirstElement
        case (.beforeArray, 0xef), (.beforeArray, 0xfe), (.beforeArray, 0xff):
            throw JSONError(.byteOrderMark, at: position)
        case (.beforeArray, _):
            throw JSONError(.unexpected(byte, expected: "'[' at the beginning of an array"), at: position)
        case (.beforeFirstElement, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")):
            state = .afterArray
        case (.beforeElement, UInt8(ascii: "]")):
            throw JSONError(.trailingComma(closer: byte), at: position)
        case (.beforeFirstElement, UInt8(ascii: ",")), (.beforeElement, UInt8(ascii: ",")):
            throw JSONError(.unexpected(byte, expected: "a value"), at: position)
        case (.beforeFirstElement, _), (.beforeElement, _):
            elementStart = (scanned, position)
            scanner = JSONElementScanner()
            state = .inElement
            return
        case (.afterElement, UInt8(ascii: ",")):
            state = .beforeElement
        case (.afterElement, _):
            throw JSONError(.unexpected(byte, expected: "',' or ']'"), at: position)
        default:
            throw JSONError(.trailingContent(byte), at: position)
        }
        scanned += 1
        position.offset += 1
        position.column += 1
    }

    /// Scans more of the current element; returns true if it is complete.
    private mutating func scanElement() throws(JSONError) -> Bool {
        // A separate reference, because a span of `buffer` would prevent changes to the rest of `self`.
        let text = buffer
        let isComplete = try scanner.scan(text.span, from: &scanned, position: &position)
        guard scanned - elementStart.offset <= elementByteLimit else {
            throw JSONError(.elementTooLong(limit: elementByteLimit), at: elementStart.position)
        }
        return isComplete
    }

    private func checkEnd() throws(JSONError) {
        switch state {
        case .afterArray, .failed: return
        case .beforeArray: throw JSONError(.empty, at: position)
        case .beforeFirstElement: throw JSONError(.endOfInput(expected: "a value or ']'"), at: position)
        case .beforeElement: throw JSONError(.endOfInput(expected: "a value"), at: position)
        case .afterElement: throw JSONError(.endOfInput(expected: "',' or ']'"), at: position)
        case .inElement:
            let place = "line \(elementStart.position.line), column \(elementStart.position.column)"
            throw JSONError(.endOfInput(expected: "the end of the element that begins at \(place)"), at: position)
        }
    }

    private mutating func skipWhiteSpace() {
        while scanned < buffer.count {
            switch buffer[scanned] {
            case UInt8(ascii: "\n"):
                position.line += 1
                position.column = 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                position.column += 1
            default: return
            }
            position.offset += 1
            scanned += 1
        }
    }

    private mutating func dropConsumed() {
        let consumed: Int
        if case .inElement = state { consumed = elementStart.offset } else { consumed = scanned }
        guard consumed > 0 else { return }
        buffer.removeSubrange(..<consumed)
        scanned -= consumed
        elementStart.offset = 0
    }
}
