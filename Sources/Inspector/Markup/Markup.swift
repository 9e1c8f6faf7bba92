internal import DocIndex

/// HTML, or a part of it.
///
/// A `String` enters it only escaped, and as text or as the value of an attribute. Everything else is written in the
/// sources of this module (`StaticString`), so no content of a store can become markup.
struct Markup: Sendable {
    private(set) var bytes: [UInt8] = []

    init() {}

    init(_ build: (inout Markup) -> Void) { build(&self) }

    /// Adds text. Characters that a reader cannot see, or that change the order of others, become visible.
    mutating func text(_ text: String) { HTMLText.append(text, to: &bytes) }

    /// Adds a part.
    mutating func append(_ part: Markup) { bytes += part.bytes }

    /// Adds an element with what `content` adds.
    mutating func element(
        _ name: StaticString, _ attributes: Attribute?..., content: (inout Markup) throws -> Void
    ) rethrows {
        open(name, attributes)
        try content(&self)
        bytes += Array("</".utf8)
        append(name)
        bytes.append(UInt8(ascii: ">"))
    }

    /// Adds an element with text.
    mutating func element(_ name: StaticString, _ attributes: Attribute?..., text: String) {
        open(name, attributes)
        self.text(text)
        bytes += Array("</".utf8)
        append(name)
        bytes.append(UInt8(ascii: ">"))
    }

    /// Adds an element that has no content, such as `input`.
    mutating func void(_ name: StaticString, _ attributes: Attribute?...) { open(name, attributes) }

    private mutating func open(_ name: StaticString, _ attributes: [Attribute?]) {
        bytes.append(UInt8(ascii: "<"))
        append(name)
        for case let attribute? in attributes {
            bytes.append(UInt8(ascii: " "))
            append(attribute.name)
            guard let value = attribute.value else { continue }
            bytes += Array("=\"".utf8)
            HTMLText.append(value, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
    }

    /// Adds fixed markup.
    mutating func append(_ fixed: StaticString) {
        bytes += String(describing: fixed).utf8
    }
}

/// An attribute of an element.
struct Attribute: Sendable {
    let name: StaticString
    /// `nil` for an attribute without a value, such as `open`.
    let value: String?

    private init(_ name: StaticString, _ value: String?) {
        self.name = name
        self.value = value
    }

    static func id(_ value: StaticString) -> Attribute { Attribute("id", String(describing: value)) }
    static func `class`(_ value: StaticString) -> Attribute { Attribute("class", String(describing: value)) }
    /// A fixed value, such as `scope="col"`.
    static func fixed(_ name: StaticString, _ value: StaticString) -> Attribute {
        Attribute(name, String(describing: value))
    }
    static func flag(_ name: StaticString) -> Attribute { Attribute(name, nil) }
    /// The address of a link or of a form. Only addresses of this server are possible.
    static func href(_ link: Link) -> Attribute { Attribute("href", link.text) }
    static func action(_ link: Link) -> Attribute { Attribute("action", link.text) }
    static func source(_ link: Link) -> Attribute { Attribute("src", link.text) }
    static func value(_ value: String) -> Attribute { Attribute("value", value) }
    static func title(_ value: String) -> Attribute { Attribute("title", value) }
    static func label(_ value: String) -> Attribute { Attribute("aria-label", value) }
    static func alt(_ value: String) -> Attribute { Attribute("alt", value) }
    static func name(_ value: String) -> Attribute { Attribute("name", value) }
    /// A numbered place on the page, for links.
    static func placeID(_ number: Int) -> Attribute { Attribute("id", "p\(number)") }
    /// A link to a numbered place on the page.
    static func place(_ number: Int) -> Attribute { Attribute("href", "#p\(number)") }
    /// The coordinates of a drawing, from 0.
    static func box(_ width: Double, _ height: Double) -> Attribute {
        Attribute("viewBox", "0 0 \(width.rounded()) \(height.rounded())")
    }
    /// An attribute for the page's script.
    static func data(_ name: StaticString, _ value: String) -> Attribute { Attribute(name, value) }
    /// A number, as SVG has them.
    static func number(_ name: StaticString, _ value: Double) -> Attribute {
        // Two digits are less than a pixel.
        Attribute(name, "\((value * 100).rounded() / 100)")
    }
}

/// The characters of a string as HTML.
enum HTMLText {
    static func append(_ text: String, to bytes: inout [UInt8]) {
        // Most text needs no change.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f && !isSpecial($0) }) {
            bytes.append(contentsOf: text.utf8)
        } else {
            appendScalars(text, to: &bytes)
        }
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: false
        }
    }

    private static func appendScalars(_ text: String, to bytes: inout [UInt8]) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": bytes += Array("&amp;".utf8)
            case "<": bytes += Array("&lt;".utf8)
            case ">": bytes += Array("&gt;".utf8)
            case "\"": bytes += Array("&quot;".utf8)
            case "'": bytes += Array("&#39;".utf8)
            case "\n", "\t": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            case _ where scalar.isHarmless: bytes += Array(String(scalar).utf8)
            default: bytes += Array("\\u{\(String(scalar.value, radix: 16))}".utf8)
            }
        }
    }
}
