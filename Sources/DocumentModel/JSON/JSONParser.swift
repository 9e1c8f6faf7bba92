/// Parses JSON text into a ``DocumentValue``, strictly according to RFC 8259.
///
/// Text is either read exactly or rejected. Nothing is guessed, dropped or rounded silently:
/// - an integer lexeme (no fraction, no exponent) within 64 bits gives ``DocumentValue/int(_:)``. Otherwise it gives a
///   ``DocumentValue/double(_:)`` if that is exact, or the error `numberOutOfRange`. `-0` gives `-0.0`;
/// - every other number gives the nearest double; numbers that would become infinite are rejected;
/// - duplicate names in an object, lone surrogates and invalid UTF-8 are rejected;
/// - nesting is limited to ``maximumDepth``; no input can exhaust the stack or trap.
///
/// A parser is a value without state and can be used from any number of threads.
public struct JSONParser: Sendable {
    /// The notation of values that JSON lacks, such as dates and bytes.
    ///
    /// `plain` and `tagged` suit text from other programs, where an object such as `{"$gte":4}` stands for itself.
    public var notation: DocumentValue.JSONNotation
    /// The position of the text in a larger text; positions of errors are relative to the larger text.
    public var start: JSONError.Position
    /// The maximum nesting depth of arrays and objects. Each wrapper around a document, such as a line of a dump, needs
    /// one more level.
    public var maximumDepth: Int

    /// Creates a parser.
    public init(
        notation: DocumentValue.JSONNotation = .plain, start: JSONError.Position = JSONError.Position(),
        maximumDepth: Int = DocumentValue.maximumDepth
    ) {
        self.notation = notation
        self.start = start
        self.maximumDepth = maximumDepth
    }

    /// Parses `text`, which must consist of one value and optional whitespace around it.
    ///
    /// - Throws: ``JSONError`` with the position of the first byte that is not accepted.
    /// - Complexity: O(*n*).
    public func parse(_ text: Span<UInt8>) throws(JSONError) -> DocumentValue {
        var reader = JSONReader(text, options: self)
        let value = try reader.readValue()
        try reader.expectEnd()
        return value
    }

    /// Parses the value in `text`; see ``parse(_:)-(Span<UInt8>)``.
    public func parse(_ text: [UInt8]) throws(JSONError) -> DocumentValue {
        try parse(text.span)
    }

    /// Parses the value in `text`; see ``parse(_:)-(Span<UInt8>)``.
    public func parse(_ text: String) throws(JSONError) -> DocumentValue {
        try parse(text.utf8Span.span)
    }

    /// Parses the first value in `text`. Returns it and the number of bytes up to its end, and ignores what follows.
    ///
    /// White space before the value is skipped and counted. A number ends at the first byte that cannot continue it, so
    /// `12` is read from `12]`. If text arrives in pieces, the result does not show whether a number is complete.
    ///
    /// - Throws: ``JSONError``, including if `text` contains only whitespace.
    /// - Complexity: O(*n*) in the length of the value.
    public func parsePrefix(of text: Span<UInt8>) throws(JSONError) -> (value: DocumentValue, byteCount: Int) {
        var reader = JSONReader(text, options: self)
        let value = try reader.readValue()
        return (value, reader.offset)
    }
}
