import LevelKit
import Testing

@Suite struct BigIntegerTests {
    @Test func `Decimal and hexadecimal strings of the same value give the same integer`() throws {
        let million = try #require(BigInteger("1000000"))
        #expect(million == BigInteger("0xf4240"))
        #expect(million == BigInteger("+0XF4240"))
        #expect(million == 1_000_000)
        #expect(BigInteger("000000000000000000000012") == 12)
        #expect(BigInteger("-0") == 0)
    }

    @Test(arguments: ["", "-", "+", "0x", "-0x", "1 000", "1_000", "12a", "0xg", "--1", " 1", "1.0", "٣"])
    func `A string that is not an integer gives nil`(text: String) {
        #expect(BigInteger(text) == nil)
    }

    @Test func `The description of an integer is decimal and parses back to the same integer`() {
        let texts = [
            "0", "-1", "255", "256", "1000000000", "999999999", "-18446744073709551616",
            "1000000000000000000000000000000", "340282366920938463463374607431768211457",
        ]
        for text in texts { #expect(BigInteger(text)?.description == text) }
    }

    @Test func `The hexadecimal description of an integer has no leading zeros`() {
        #expect(BigInteger(0 as Int64).hexadecimalDescription == "0x0")
        #expect(BigInteger(10 as Int64).hexadecimalDescription == "0xa")
        #expect(BigInteger(Int64.min).hexadecimalDescription == "-0x8000000000000000")
    }

    @Test func `The range of big integers ends at 255 bytes`() throws {
        let largest = try #require(BigInteger(magnitude: [UInt8](repeating: 0xff, count: 255)))
        #expect(BigInteger(largest.description) == largest)
        #expect(largest.description.count == 615)
        #expect(BigInteger(largest.hexadecimalDescription) == largest)
        #expect(BigInteger("0x1" + String(repeating: "0", count: 510)) == nil)
        #expect(BigInteger(String(repeating: "9", count: 100_000)) == nil)
        #expect(BigInteger(magnitude: [1] + [UInt8](repeating: 0, count: 255)) == nil)
        #expect(BigInteger(magnitude: [UInt8](repeating: 0, count: 300) + [7]) == 7)
        let key = Tuple([.bigInteger(largest)]).packed()
        #expect(key.count == 257)
        #expect(try Tuple(packed: key) == [.bigInteger(largest)])
    }

    @Test func `Integer literals of any length have their exact value`() {
        let literals: [(BigInteger, String)] = [
            (0, "0"), (-1, "-1"), (-255, "-255"), (-256, "-256"), (9_223_372_036_854_775_808, "9223372036854775808"),
            (-9_223_372_036_854_775_808, "-9223372036854775808"),
            (-18_446_744_073_709_551_616, "-18446744073709551616"),
            (0x1_0000_0000_0000_0000_0000_0000_0000_0001, "340282366920938463463374607431768211457"),
        ]
        for (value, text) in literals { #expect(value.description == text) }
    }

    @Test func `Conversion to a fixed-width integer gives nil outside its range`() {
        #expect(Int64(exactly: BigInteger(Int64.min)) == .min)
        #expect(Int64(exactly: BigInteger(Int64.max)) == .max)
        #expect(Int64(exactly: 9_223_372_036_854_775_808 as BigInteger) == nil)
        #expect(Int64(exactly: -9_223_372_036_854_775_809 as BigInteger) == nil)
        #expect(UInt64(exactly: BigInteger(UInt64.max)) == .max)
        #expect(UInt64(exactly: -1 as BigInteger) == nil)
        #expect(UInt64(exactly: 18_446_744_073_709_551_616 as BigInteger) == nil)
    }

    @Test func `Big integers are ordered numerically`() {
        let ascending: [BigInteger] = [
            -18_446_744_073_709_551_617, -18_446_744_073_709_551_616, -256, -255, -1, 0, 1, 255, 256,
            18_446_744_073_709_551_615, 18_446_744_073_709_551_616,
        ]
        #expect(ascending.shuffled().sorted() == ascending)
    }
}
