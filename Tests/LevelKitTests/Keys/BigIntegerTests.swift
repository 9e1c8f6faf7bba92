import LevelKit
import Testing

@Suite struct BigIntegerTests {
    @Test func `Decimal and hexadecimal strings of the same value give the same integer`() throws {
        let million = try #require(Tuple.BigInteger("1000000"))
        #expect(million == Tuple.BigInteger("0xf4240"))
        #expect(million == Tuple.BigInteger("+0XF4240"))
        #expect(million == 1_000_000)
        #expect(Tuple.BigInteger("000000000000000000000012") == 12)
        #expect(Tuple.BigInteger("-0") == 0)
    }

    @Test(arguments: ["", "-", "+", "0x", "-0x", "1 000", "1_000", "12a", "0xg", "--1", " 1", "1.0", "٣"])
    func `A string that is not an integer gives nil`(text: String) {
        #expect(Tuple.BigInteger(text) == nil)
    }

    @Test func `The description of an integer is decimal and parses back to the same integer`() {
        let texts = [
            "0", "-1", "255", "256", "1000000000", "999999999", "-18446744073709551616",
            "1000000000000000000000000000000", "340282366920938463463374607431768211457",
        ]
        for text in texts { #expect(Tuple.BigInteger(text)?.description == text) }
    }

    @Test func `The range of big integers ends at 255 bytes`() throws {
        let largest = try #require(Tuple.BigInteger(magnitude: [UInt8](repeating: 0xff, count: 255)))
        #expect(Tuple.BigInteger(largest.description) == largest)
        #expect(largest.description.count == 615)
        #expect(Tuple.BigInteger("0x" + String(repeating: "f", count: 510)) == largest)
        #expect(Tuple.BigInteger("0x1" + String(repeating: "0", count: 510)) == nil)
        #expect(Tuple.BigInteger(String(repeating: "9", count: 100_000)) == nil)
        #expect(Tuple.BigInteger(magnitude: [1] + [UInt8](repeating: 0, count: 255)) == nil)
        #expect(Tuple.BigInteger(magnitude: [UInt8](repeating: 0, count: 300) + [7]) == 7)
        let key = Tuple([.bigInteger(largest)]).packed()
        #expect(key.count == 257)
        #expect(try Tuple(packed: key) == [.bigInteger(largest)])
    }

    @Test func `Integer literals of any length have their exact value`() {
        let literals: [(Tuple.BigInteger, String)] = [
            (0, "0"), (-1, "-1"), (-255, "-255"), (-256, "-256"), (9_223_372_036_854_775_808, "9223372036854775808"),
            (-9_223_372_036_854_775_808, "-9223372036854775808"),
            (-18_446_744_073_709_551_616, "-18446744073709551616"),
            (0x1_0000_0000_0000_0000_0000_0000_0000_0001, "340282366920938463463374607431768211457"),
        ]
        for (value, text) in literals { #expect(value.description == text) }
    }

    @Test func `Conversion to a fixed-width integer gives nil outside its range`() {
        #expect(Int64(exactly: Tuple.BigInteger(Int64.min)) == .min)
        #expect(Int64(exactly: Tuple.BigInteger(Int64.max)) == .max)
        #expect(Int64(exactly: 9_223_372_036_854_775_808 as Tuple.BigInteger) == nil)
        #expect(Int64(exactly: -9_223_372_036_854_775_809 as Tuple.BigInteger) == nil)
        #expect(UInt64(exactly: Tuple.BigInteger(UInt64.max)) == .max)
        #expect(UInt64(exactly: -1 as Tuple.BigInteger) == nil)
        #expect(UInt64(exactly: 18_446_744_073_709_551_616 as Tuple.BigInteger) == nil)
    }

    @Test func `Big integers are ordered numerically`() {
        let ascending: [Tuple.BigInteger] = [
            -18_446_744_073_709_551_617, -18_446_744_073_709_551_616, -256, -255, -1, 0, 1, 255, 256,
            18_446_744_073_709_551_615, 18_446_744_073_709_551_616,
        ]
        #expect(ascending.shuffled().sorted() == ascending)
    }
}
