/// Writes a ``DocumentValue`` as JSON text (RFC 8259). The same value always gives the same text.
///
/// Members keep their order. Strings are UTF-8, with escapes only for `"`, `\` and control characters below U+0020 (`\b
/// \f \n \r \t`, otherwise `\u00xx` in lowercase). Integers are written as digits. A double is the shortest decimal
/// that parses to the same double, and always has a point or an exponent, so `1.0` stays `1.0`.
///
/// JSON cannot represent bytes, dates, attachments, NaN and infinities. They are written as objects with one `$` name;
/// see ``DocumentValue/JSONNotation``, which also describes what a ``JSONParser`` reads back.
public struct JSONWriter: Sendable {
    /// The placement of whitespace.
    public enum Layout: Sendable, Hashable {
        /// No whitespace.
        case compact
        /// Each item on its own line, indented by two spaces per level.
        case pretty
    }

    /// The placement of whitespace.
    public var layout: Layout
    /// Whether members are sorted by the UTF-8 bytes of their names. Otherwise they keep their order.
    public var sortsNames: Bool
    /// The notation of values that JSON lacks, such as dates and bytes. In `tagged`, every value can be read back.
    public var notation: DocumentValue.JSONNotation
    /// Whether the tagged notation also writes numbers beyond ±2^53 as objects, for programs that would round them.
    package var tagsLargeNumbers = true

    /// Creates a writer.
    public init(layout: Layout = .compact, sortsNames: Bool = false, notation: DocumentValue.JSONNotation = .plain) {
        self.layout = layout
        self.sortsNames = sortsNames
        self.notation = notation
    }

    /// Appends the text of `value` to `text`, without a trailing line feed.
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

    // Separate from the recursion, whose frames must be small; see `DocumentValue.==`.
    private func writeScalar(_ value: DocumentValue, to text: inout [UInt8]) {
        switch value {
        case .null, .array, .object: text.appendASCII("null")
        case .bool(let value): text.appendASCII(value ? "true" : "false")
        case .int(let value): writeInteger(value, to: &text)
        case .double(let value): writeDouble(value, to: &text)
        case .string(let value): text.appendJSON(value)
        case .bytes(let value):
            text.appendASCII("{\"$bytes\":\"")
            Base64.append(value.span, to: &text)
            text.appendASCII("\"}")
        case .date(let value):
            text.appendASCII("{\"$date\":\"")
            value.appendISO8601(to: &text)
            text.appendASCII("\"}")
        case .attachment(let value): writeAttachment(value, to: &text)
        }
    }

    @inline(never)
    private func writeAttachment(_ value: Attachment, to text: inout [UInt8]) {
        text.appendASCII("{\"$attachment\":")
        let members = sortsNames ? value.object.sortedByName() : value.object
        for (position, member) in members.enumerated() {
            text.append(UInt8(ascii: position == 0 ? "{" : ","))
            text.appendJSON(member.name)
            text.append(UInt8(ascii: ":"))
            writeScalar(member.value, to: &text)
        }
        text.appendASCII("}}")
    }

    private func writeInteger(_ value: Int64, to text: inout [UInt8]) {
        guard tagsLargeNumbers, notation.mustTag(value) else { return text.appendDecimal(value) }
        text.appendASCII("{\"$num\":\"")
        text.appendDecimal(value)
        text.appendASCII("\"}")
    }

    private func writeDouble(_ value: Double, to text: inout [UInt8]) {
        guard tagsLargeNumbers, value.isFinite, notation.mustTag(value) else { return text.appendJSON(value) }
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
