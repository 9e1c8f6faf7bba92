/// Writes a ``DocumentValue`` as JSON text (RFC 8259), always the same text for the same value.
///
/// Members keep their order. Strings are UTF-8, with escapes only for `"`, `\` and control characters below U+0020
/// (`\b \f \n \r \t`, else `\u00xx` in lower case). Integers are written plain; a double is the shortest decimal
/// that reads back as the same double and always has a point or an exponent, so `1.0` stays `1.0`.
///
/// JSON has no form for bytes, dates, NaN and the infinities. They are written as objects with one `$` name; see
/// ``JSONNotation``, which also says what a ``JSONParser`` reads back.
public struct JSONWriter: Sendable {
    /// Where white space stands.
    public enum Layout: Sendable, Hashable {
        /// Nowhere.
        case compact
        /// Each item on a line of its own, indented by two spaces a level.
        case pretty
    }

    /// Where white space stands.
    public var layout: Layout
    /// Whether members are written in the order of the UTF-8 bytes of their names and not in their own.
    public var sortsNames: Bool
    /// Which objects and numbers are written as forms, so that every value can be read back.
    public var notation: JSONNotation

    /// A writer with these options.
    public init(layout: Layout = .compact, sortsNames: Bool = false, notation: JSONNotation = .plain) {
        self.layout = layout
        self.sortsNames = sortsNames
        self.notation = notation
    }

    /// A writer in the notation of dumps, or in the plain one.
    public init(layout: Layout = .compact, sortsNames: Bool = false, isExtended: Bool) {
        self.init(layout: layout, sortsNames: sortsNames, notation: isExtended ? .dump : .plain)
    }

    /// Appends the text for `value` to `text`, without a line feed at the end.
    ///
    /// - Complexity: O(*n*) in the size of the value; O(*n* log *n*) in the members of an object if names are sorted.
    public func write(_ value: DocumentValue, to text: inout [UInt8]) {
        write(value, indentation: 0, to: &text)
    }

    private func write(_ value: DocumentValue, indentation: Int, to text: inout [UInt8]) {
        switch value {
        case .array(let elements): write(elements, indentation: indentation, to: &text)
        case .object(let object): write(object, indentation: indentation, to: &text)
        default: writeScalar(value, to: &text)
        }
    }

    // Apart from the recursion, whose frames must be small; see `DocumentValue.==`.
    private func writeScalar(_ value: DocumentValue, to text: inout [UInt8]) {
        switch value {
        case .null, .array, .object: text.appendASCII("null")
        case .bool(let value): text.appendASCII(value ? "true" : "false")
        case .int(let value): writeInteger(value, to: &text)
        case .double(let value): writeDouble(value, to: &text)
        case .string(let value): text.appendJSON(value)
        case .bytes(let value):
            text.appendASCII("{\"$bytes\":\"")
            Base64.append(value, to: &text)
            text.appendASCII("\"}")
        case .date(let value):
            text.appendASCII("{\"$date\":\"")
            value.appendISO8601(to: &text)
            text.appendASCII("\"}")
        }
    }

    private func writeInteger(_ value: Int64, to text: inout [UInt8]) {
        guard notation.mustTag(value) else { return text.appendDecimal(value) }
        text.appendASCII("{\"$num\":\"")
        text.appendDecimal(value)
        text.appendASCII("\"}")
    }

    private func writeDouble(_ value: Double, to text: inout [UInt8]) {
        guard value.isFinite, notation.mustTag(value) else { return text.appendJSON(value) }
        text.appendASCII("{\"$num\":\"")
        text.appendJSON(value)
        text.appendASCII("\"}")
    }

    private func write(_ elements: [DocumentValue], indentation: Int, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "["))
        var position = 0
        while position < elements.count {
            if position > 0 { text.append(UInt8(ascii: ",")) }
            breakLine(indentation: indentation + 1, in: &text)
            write(elements[position], indentation: indentation + 1, to: &text)
            position += 1
        }
        if !elements.isEmpty { breakLine(indentation: indentation, in: &text) }
        text.append(UInt8(ascii: "]"))
    }

    private func write(_ object: DocumentObject, indentation: Int, to text: inout [UInt8]) {
        let object = sortsNames ? object.sortedByName() : object
        let isWrapped = notation.mustWrap(object)
        open(isWrapped: isWrapped, in: &text)
        var position = 0
        while position < object.count {
            if position > 0 { text.append(UInt8(ascii: ",")) }
            writeName(object[position].name, indentation: indentation + 1, to: &text)
            write(object[position].value, indentation: indentation + 1, to: &text)
            position += 1
        }
        close(isEmpty: object.isEmpty, isWrapped: isWrapped, indentation: indentation, in: &text)
    }

    private func open(isWrapped: Bool, in text: inout [UInt8]) {
        if isWrapped { text.appendASCII(layout == .pretty ? "{\"$lit\": " : "{\"$lit\":") }
        text.append(UInt8(ascii: "{"))
    }

    private func close(isEmpty: Bool, isWrapped: Bool, indentation: Int, in text: inout [UInt8]) {
        if !isEmpty { breakLine(indentation: indentation, in: &text) }
        text.append(UInt8(ascii: "}"))
        if isWrapped { text.append(UInt8(ascii: "}")) }
    }

    private func writeName(_ name: String, indentation: Int, to text: inout [UInt8]) {
        breakLine(indentation: indentation, in: &text)
        text.appendJSON(name)
        text.append(UInt8(ascii: ":"))
        if layout == .pretty { text.append(UInt8(ascii: " ")) }
    }

    private func breakLine(indentation: Int, in text: inout [UInt8]) {
        guard layout == .pretty else { return }
        text.append(UInt8(ascii: "\n"))
        for _ in 0..<2 * indentation { text.append(UInt8(ascii: " ")) }
    }
}
