extension DocumentValue {
    /// Parses the value in `json`; see ``JSONParser``.
    ///
    /// - Throws: ``JSONError``.
    /// - Complexity: O(*n*).
    public init(json: String, notation: JSONNotation = .plain) throws(JSONError) {
        self = try JSONParser(notation: notation).parse(json)
    }

    /// The value as compact JSON, with members in order; see ``JSONWriter``.
    ///
    /// - Complexity: O(*n*).
    public var json: String { json(JSONWriter()) }

    /// Returns the value as JSON, formatted by `writer`.
    ///
    /// - Complexity: as ``JSONWriter/write(_:to:)``.
    public func json(_ writer: JSONWriter) -> String {
        var text: [UInt8] = []
        writer.write(self, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the value as JSON to `text`, formatted by `writer`.
    ///
    /// - Complexity: as ``JSONWriter/write(_:to:)``.
    public func writeJSON(to text: inout [UInt8], _ writer: JSONWriter = JSONWriter()) {
        writer.write(self, to: &text)
    }
}

extension DocumentValue: CustomStringConvertible {
    /// The value as compact JSON in dump notation.
    public var description: String { json(JSONWriter(notation: .dump)) }
}

extension DocumentObject: CustomStringConvertible {
    /// The object as compact JSON in dump notation.
    public var description: String { DocumentValue.object(self).description }
}
