import Foundation
import LevelKit

/// A parser for the notation of tuples in the vector file: `("users",42,nil,bytes 00ff)`.
struct TupleNotation {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var rest: Substring

    /// Returns the tuple at the start of `text`; `nil` if it contains a string that is not valid text.
    static func tuple(_ text: String) throws -> Tuple? {
        var reader = TupleNotation(rest: text[...])
        return try reader.tuple()
    }

    private mutating func tuple() throws -> Tuple? {
        try expect("(")
        var elements: [Tuple.Element]? = []
        while !take(")") {
            if let element = try element() { elements?.append(element) } else { elements = nil }
            _ = take(",")
        }
        return elements.map(Tuple.init)
    }

    private mutating func element() throws -> Tuple.Element? {
        if rest.first == "(" { return try tuple().map(Tuple.Element.tuple) }
        if rest.first == "\"" { return String(validating: try quoted(), as: UTF8.self).map(Tuple.Element.string) }
        if take("nil") { return .null }
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        if take("bytes ") { return .bytes(rest.first == "\"" ? try quoted() : LevelKitTests.bytes(word())) }
        if take("U+") { return .string(try scalar(word())) }
        if take("UUID") { return try uuid() }
        if take("versionstamp ") { return try versionstamp() }
        if take("float bits ") { return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(digitCount: 8)))) }
        if take("double bits ") { return .double(Double(bitPattern: try bits(digitCount: 16))) }
        if take("+inf f") { return .float(.infinity) }
        if take("-inf f") { return .float(-.infinity) }
        if take("+inf") { return .double(.infinity) }
        if take("-inf") { return .double(-.infinity) }
        if take("Int16 0x") { return Int64(word(), radix: 16).map(Tuple.Element.int) }
        return try number()
    }

    // MARK: - Numbers

    private mutating func number() throws -> Tuple.Element? {
        let text = word(allowing: "^+-()")
        if text.hasSuffix("f"), let value = Float(text.dropLast()) { return .float(value) }
        if text.contains("."), let value = Double(text) { return .double(value) }
        let isNegative = text.hasPrefix("-")
        var expression = isNegative ? text.dropFirst() : text[...]
        if expression.first == "(" { expression = expression.dropFirst().dropLast() }
        // The only power that exceeds 128 bits.
        if expression == "2^128" {
            return Tuple.BigInteger((isNegative ? "-0x1" : "0x1") + String(repeating: "0", count: 32))
                .map(Tuple.Element.integer)
        }
        let magnitude = try value(of: expression)
        return Tuple.BigInteger("\(isNegative ? -magnitude : magnitude)").map(Tuple.Element.integer)
    }

    /// Returns the value of a term with an optional addition or subtraction: `42`, `2^64-1`, `Int64.min+2`.
    private func value(of expression: Substring) throws -> Int128 {
        guard let index = expression.firstIndex(where: { $0 == "+" || $0 == "-" }) else { return try term(expression) }
        guard let right = Int128(expression[expression.index(after: index)...]) else { throw failure("number") }
        let left = try term(expression[..<index])
        return expression[index] == "+" ? left + right : left - right
    }

    private func term(_ text: Substring) throws -> Int128 {
        if text == "Int64.max" { return Int128(Int64.max) }
        if text == "Int64.min" { return Int128(Int64.min) }
        let parts = text.split(separator: "^").compactMap { Int128($0) }
        guard let base = parts.first else { throw failure("number") }
        guard parts.count == 2 else { return base }
        return (0..<parts[1]).reduce(1) { power, _ in power * base }
    }

    /// Parses bits in hexadecimal; `..` means that the last two digits repeat.
    private mutating func bits(digitCount: Int) throws -> UInt64 {
        var digits = word()
        if digits.hasSuffix("..") {
            digits.removeLast(2)
            while digits.count < digitCount { digits += digits.suffix(2) }
        }
        try expect(" NaN")
        guard let bits = UInt64(digits, radix: 16) else { throw failure("bits") }
        return bits
    }

    // MARK: - Strings and other elements

    /// Returns the bytes of a quoted string, in which `\0` and `\xFF` stand for bytes.
    private mutating func quoted() throws -> [UInt8] {
        try expect("\"")
        var bytes: [UInt8] = []
        while !take("\"") {
            if take("\\0") {
                bytes.append(0)
            } else if take("\\x") {
                guard let byte = UInt8(rest.prefix(2), radix: 16) else { throw failure("two digits") }
                bytes.append(byte)
                rest.removeFirst(2)
            } else {
                guard let character = rest.popFirst() else { throw failure("quote") }
                bytes += Array(character.utf8)
            }
        }
        return bytes
    }

    private func scalar(_ digits: String) throws -> String {
        guard let code = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(code) else { throw failure("scalar") }
        return String(Character(scalar))
    }

    /// Returns the UUID, or the one of the Go golden file if the value is omitted.
    private mutating func uuid() throws -> Tuple.Element {
        let text = take(" ") ? word(allowing: "-") : "1100aabb-ccdd-eeff-1100-aabbccddeeff"
        let digits = text.filter { $0 != "-" }
        let groups = [8, 12, 16, 20].reversed().reduce(into: digits) { text, position in
            text.insert("-", at: text.index(text.startIndex, offsetBy: position))
        }
        guard let uuid = UUID(uuidString: groups) else { throw failure("UUID") }
        return .uuid(uuid)
    }

    private mutating func versionstamp() throws -> Tuple.Element {
        let digits = word()
        try expect(", user ")
        guard let commit = UInt64(digits.prefix(16), radix: 16), let batch = UInt16(digits.suffix(4), radix: 16),
            let user = UInt16(word())
        else { throw failure("versionstamp") }
        return .versionstamp(Tuple.Versionstamp(commitVersion: commit, batchNumber: batch, userVersion: user))
    }

    // MARK: - Reading

    private mutating func take(_ prefix: String) -> Bool {
        guard rest.hasPrefix(prefix) else { return false }
        rest.removeFirst(prefix.count)
        return true
    }

    private mutating func expect(_ prefix: String) throws {
        guard take(prefix) else { throw failure(prefix) }
    }

    /// Reads letters, digits, dots and the allowed characters; a `)` is included only after its `(`.
    private mutating func word(allowing others: String = "") -> String {
        var word = ""
        while let next = rest.first, next.isLetter || next.isNumber || next == "." || others.contains(next) {
            if next == ")", !word.contains("(") || word.contains(")") { break }
            word.append(next)
            rest.removeFirst()
        }
        return word
    }

    private func failure(_ expected: String) -> Failure {
        Failure(description: "\(expected) expected before '\(rest)'")
    }
}
