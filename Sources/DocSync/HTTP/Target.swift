/// The target of a request: the parts of its path, and its query, both without percent-encoding.
package struct Target: Sendable, Hashable {
    /// The parts between slashes, such as `["photos", "_local", "abc"]`.
    package let path: [String]
    /// The parameters in order.
    package let query: [(name: String, value: String)]

    /// Reads a target such as `/photos/_changes?limit=500`.
    ///
    /// - Returns: `nil` if it does not begin with a slash, or is not valid percent-encoded UTF-8.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].first == UInt8(ascii: "/") else { return nil }
        var path: [String] = []
        for part in parts[0].split(separator: UInt8(ascii: "/")) {
            guard let text = PercentCoding.decoded(part, plusIsSpace: false) else { return nil }
            path.append(text)
        }
        self.path = path
        var query: [(String, String)] = []
        for item in parts.count > 1 ? parts[1].split(separator: UInt8(ascii: "&")) : [] {
            let sides = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decoded(sides[0], plusIsSpace: true),
                let value = sides.count > 1 ? PercentCoding.decoded(sides[1], plusIsSpace: true) : ""
            else { return nil }
            query.append((name, value))
        }
        self.query = query
    }

    /// Returns the first value of a query parameter; `nil` if it is absent.
    package subscript(parameter: String) -> String? { query.first { $0.name == parameter }?.value }

    /// Whether two targets ask for the same.
    package static func == (a: Target, b: Target) -> Bool {
        a.path == b.path && a.query.elementsEqual(b.query) { $0.name == $1.name && $0.value == $1.value }
    }

    /// Feeds the parts into `hasher`.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(path)
        for item in query {
            hasher.combine(item.name)
            hasher.combine(item.value)
        }
    }

    /// Returns a target as it is sent.
    package static func text(_ path: [String], _ query: KeyValuePairs<String, String> = [:]) -> String {
        var text = path.isEmpty ? "/" : path.map { "/" + PercentCoding.encoded($0) }.joined()
        var separator = "?"
        for (name, value) in query {
            text += "\(separator)\(PercentCoding.encoded(name))=\(PercentCoding.encoded(value))"
            separator = "&"
        }
        return text
    }
}

/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentCoding {
    /// Returns the percent-encoded string. Only unreserved characters stand for themselves.
    package static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the decoded string; `nil` if an escape is incomplete, or the result is not UTF-8.
    package static func decoded(_ text: some Collection<UInt8>, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte.lowercased {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte.lowercased - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
