/// Reads JSON text into a ``DocumentValue``, strictly by RFC 8259.
///
/// A text is read as it is or refused; nothing is guessed, dropped or rounded unseen:
/// - an integer lexeme (no fraction, no exponent) within 64 bits gives ``DocumentValue/int(_:)``. Beyond, it gives a
///   ``DocumentValue/double(_:)`` if that is exact, else the error `numberOutOfRange`. `-0` gives `-0.0`;
/// - every other number gives the nearest double; one that would be infinite is refused;
/// - a name that occurs twice in one object is refused, and so are half surrogate pairs and invalid UTF-8;
/// - nesting is limited to ``maximumDepth``; no input can exhaust the stack or trap.
///
/// A parser is a value without state: one can serve any number of threads.
public struct JSONParser: Sendable {
    /// Which objects stand for what JSON lacks.
    ///
    /// `plain` and `tagged` suit text of other programs, where an object such as `{"$gte":4}` means itself.
    public var notation: JSONNotation
    /// Where the text begins in a larger one; positions of errors count from there.
    public var start: JSONPosition
    /// How many arrays and objects may lie inside each other. A text that wraps documents, such as a line of a dump,
    /// needs one more for each wrapping.
    public var maximumDepth: Int

    /// A parser with these options.
    public init(
        notation: JSONNotation = .plain, start: JSONPosition = JSONPosition(),
        maximumDepth: Int = DocumentValue.maximumDepth
    ) {
        self.notation = notation
        self.start = start
        self.maximumDepth = maximumDepth
    }

    /// A parser of the notation of dumps, or of the plain one.
    public init(
        isExtended: Bool, start: JSONPosition = JSONPosition(), maximumDepth: Int = DocumentValue.maximumDepth
    ) {
        self.init(notation: isExtended ? .dump : .plain, start: start, maximumDepth: maximumDepth)
    }

    /// The value that `text` consists of, with nothing around it but white space.
    ///
    /// - Throws: ``JSONError`` with the first byte that cannot be accepted.
    /// - Complexity: O(*n*).
    public func parse(_ text: Span<UInt8>) throws(JSONError) -> DocumentValue {
        var reader = JSONReader(text, options: self)
        let value = try reader.readValue()
        try reader.expectEnd()
        return value
    }

    /// The value that `text` consists of; see ``parse(_:)-(Span<UInt8>)``.
    public func parse(_ text: [UInt8]) throws(JSONError) -> DocumentValue {
        try parse(text.span)
    }

    /// The value that `text` consists of; see ``parse(_:)-(Span<UInt8>)``.
    public func parse(_ text: String) throws(JSONError) -> DocumentValue {
        try parse(text.utf8Span.span)
    }

    /// The first value in `text`, and the number of bytes up to its end; what follows is not looked at.
    ///
    /// White space before the value is skipped and counted. A number ends where it cannot go on, so `12` is read from
    /// `12]`; a caller that gets its text piecewise cannot know from this whether the number is complete.
    ///
    /// - Throws: ``JSONError``, also if `text` holds nothing but white space.
    /// - Complexity: O(*n*) in the length of the value.
    public func parsePrefix(of text: Span<UInt8>) throws(JSONError) -> (value: DocumentValue, byteCount: Int) {
        var reader = JSONReader(text, options: self)
        let value = try reader.readValue()
        return (value, reader.offset)
    }
}
