import LevelKit
import Synchronization
import TestSupport
import Testing

/// Single-key writes share a LevelDB batch: nothing of one may appear in the next.
@Suite struct SingleWriteTests {
    /// Around the size from which a pair bypasses that batch.
    private static let sizes = [0, 1, 100, 65_520, 65_535, 65_536, 65_537, 200_000]

    @Test func `Alternating small and large values leave the last value of each key`() throws {
        var random = TestRun.random(stream: 71)
        try withTemporaryDatabase { database in
            var model: [[UInt8]: [UInt8]] = [:]
            for _ in 0..<400 {
                let key = numberedKey(Int.random(in: 0..<20, using: &random))
                if Int.random(in: 0..<4, using: &random) == 0 {
                    try database.delete(key)
                    model[key] = nil
                } else {
                    let size = Self.sizes.randomElement(using: &random) ?? 0
                    let value = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: size)
                    try database.put(value, forKey: key)
                    model[key] = value
                }
            }
            let found = try entries(of: database)
            #expect(found.map(\.key) == model.keys.sorted { $0.lexicographicallyPrecedes($1) })
            for entry in found { #expect(model[entry.key] == entry.value) }
        }
    }

    @Test func `Threads that put and delete concurrently each read their own writes`() throws {
        let misses = Atomic(0)
        try withTemporaryDatabase { database in
            let threads = (0..<4).map { number in
                startThread { () throws(LevelError) in
                    for round in 0..<500 {
                        let key = utf8("\(number) \(round % 50)")
                        let value = utf8("\(number) \(round)")
                        try database.put(value, forKey: key)
                        if try database.value(forKey: key) != value { misses.add(1, ordering: .relaxed) }
                        if round % 3 == 0 { try database.delete(key) }
                    }
                }
            }
            for thread in threads { try thread.get() }
            #expect(misses.load(ordering: .relaxed) == 0)
            // Of the last fifty rounds, those with a number divisible by three deleted their key.
            let kept = (450..<500).filter { $0 % 3 != 0 }.count
            #expect(try keys(of: database).count == 4 * kept)
        }
    }
}
