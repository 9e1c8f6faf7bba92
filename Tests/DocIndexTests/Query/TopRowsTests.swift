import TestSupport
import Testing

@testable import DocIndex

@Suite struct TopRowsTests {
    @Test func `The first rows match a full sort, whatever prefixes the keys have`() throws {
        var generator = DocumentGenerator()
        for _ in 0..<200 {
            let count = generator.number(below: 2000)
            let needed = generator.number(below: 3) == 0 ? nil : generator.number(below: 40)
            // Prefixes that are equal up to the eighth byte, and beyond it.
            let beginnings: [[UInt8]] = [[], [0, 0, 0], Array(repeating: 7, count: 7), Array(repeating: 7, count: 12)]
            var all: [[UInt8]: UInt64] = [:]
            for row in 0..<UInt64(count) {
                var position = beginnings[generator.number(below: beginnings.count)]
                for _ in 0..<generator.number(below: 4) { position.append(UInt8(generator.number(below: 3))) }
                all[position] = row
            }
            var top = TopRows(needed: needed, byteLimit: .max)
            for (position, row) in all { try top.add(position.span, row: row) }
            let sorted = all.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
            #expect(top.sorted() == Array(sorted.prefix(needed ?? .max)), "seed \(generator.seed)")
        }
    }

    @Test func `Memory is bounded when all rows are needed, and stays small for a few of many`() throws {
        var all = TopRows(needed: nil, byteLimit: 10_000)
        expectFailure(.queryTooLarge, containing: "10000 bytes") {
            for row in 0..<1000 { try all.add([UInt8(row >> 8), UInt8(row & 0xff)].span, row: UInt64(row)) }
        }
        var few = TopRows(needed: 5, byteLimit: 20_000)
        for row in (0..<10_000).reversed() {
            try few.add([UInt8(row >> 8), UInt8(row & 0xff)].span, row: UInt64(row))
        }
        #expect(few.sorted() == [0, 1, 2, 3, 4])
    }
}
