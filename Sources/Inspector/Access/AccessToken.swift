/// The secret that a browser or a program needs: 128 random bits, new at each start.
struct AccessToken: Sendable {
    /// 32 hexadecimal digits.
    let text: String

    init() {
        var generator = SystemRandomNumberGenerator()
        text = Self.hexadecimal(generator.next(), digitCount: 16) + Self.hexadecimal(generator.next(), digitCount: 16)
    }

    init(text: String) { self.text = text }

    /// Returns whether a string is the token. Takes the same time wherever the first difference is.
    func matches(_ other: String) -> Bool {
        let expected = Array(text.utf8)
        let given = Array(other.utf8)
        var difference = given.count ^ expected.count
        for (index, byte) in expected.enumerated() {
            difference |= Int(byte ^ (index < given.count ? given[index] : 0))
        }
        return difference == 0
    }

    /// Returns a number in hexadecimal with leading zeros.
    static func hexadecimal(_ number: UInt64, digitCount: Int) -> String {
        let digits = String(number, radix: 16)
        let last = digits.suffix(digitCount)
        return String(repeating: "0", count: digitCount - last.count) + last
    }
}
