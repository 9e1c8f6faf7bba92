import Testing

@testable import LevelKit

/// No version of a key that was deleted or overwritten comes back, whichever snapshots live while LevelDB compacts.
///
/// The sizes of the values are those at which LevelDB 1.23, under a snapshot of its own, ends a file between two versions
/// of a key. `RawEngine` shows with each run that they still do.
@Suite struct SplitKeysTests {
    static let byteCounts = [4054, 4055, 4056, 4057]
    static let keys = (0..<1200).map { Array("k\(100_000 + $0)".utf8) }

    /// What a write does to each key.
    enum Change: CaseIterable {
        case deletion
        case overwriting
    }

    @Test("keys stay as they are while snapshots overlap for ever", arguments: Change.allCases)
    func overlappingSnapshots(change: Change) throws {
        for byteCount in Self.byteCounts {
            try withTemporaryDatabase(options: RawEngine.options) { database in
                let value = [UInt8](repeating: 7, count: byteCount)
                for key in Self.keys { try database.put(value, forKey: key) }
                try database.compact()
                var snapshot = try database.snapshot()
                for key in Self.keys {
                    if change == .deletion { try database.delete(key) } else { try database.put([8], forKey: key) }
                }
                let expected = change == .deletion ? nil : [UInt8]([8])
                try database.compact()
                for key in Self.keys { #expect(try snapshot.value(forKey: key) == value) }
                // The neighbour of a key takes the file that ends with it to the level below, and not the next file.
                for position in stride(from: 0, to: Self.keys.count, by: 25) {
                    // There is a snapshot at each moment, and never the same one for long.
                    let next = try database.snapshot()
                    try database.put([1], forKey: Self.keys[position] + [0x6e])
                    try database.compact(from: Self.keys[position], to: Self.keys[position] + [0x6e])
                    snapshot = next
                }
                for key in Self.keys {
                    #expect(try database.value(forKey: key) == expected)
                    #expect(try snapshot.value(forKey: key) == expected)
                }
                let survivors = change == .deletion ? 0 : Self.keys.count
                #expect(try database.count() == survivors + 48)
                // The last snapshot was taken before the last neighbour was written.
                #expect(try snapshot.count() == survivors + 47)
                withExtendedLifetime(snapshot) {}
            }
        }
    }

    @Test("a key that another program has split is whole after opening", arguments: Change.allCases)
    func splitBeforeOpening(change: Change) throws {
        var splitCount = 0
        for byteCount in Self.byteCounts {
            try withTemporaryDirectory { path in
                let value = [UInt8](repeating: 7, count: byteCount)
                try RawEngine.makeSplitDatabase(at: path, keys: Self.keys, value: value, change: change)
                splitCount += SplitKeys.keys(in: try Manifest(ofDatabaseAt: path), order: .bytewise).count
                let database = try Database.open(at: path, options: RawEngine.options)
                for position in stride(from: 0, to: Self.keys.count, by: 25) {
                    try database.put([1], forKey: Self.keys[position] + [0x6e])
                    try database.compact(from: Self.keys[position], to: Self.keys[position] + [0x6e])
                }
                for key in Self.keys {
                    #expect(try database.value(forKey: key) == (change == .deletion ? nil : [8]))
                }
                try database.close()
            }
        }
        #expect(splitCount > 0, "the engine split no key: the sizes no longer provoke it")
    }
}
