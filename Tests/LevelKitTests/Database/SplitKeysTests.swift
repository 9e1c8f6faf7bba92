import Testing

@testable import LevelKit

/// No deleted or overwritten version of a key reappears, whichever snapshots are live while LevelDB compacts.
///
/// The value sizes are those at which LevelDB 1.23, under its own snapshot, ends a file between two versions of a key.
/// `RawEngine` confirms in each run that they still are.
@Suite struct SplitKeysTests {
    static let byteCounts = [4054, 4055, 4056, 4057]
    static let keys = (0..<1200).map { Array("k\(100_000 + $0)".utf8) }

    /// The write that is applied to each key.
    enum Change: CaseIterable {
        case deletion
        case overwriting
    }

    @Test(arguments: Change.allCases)
    func `Keys keep their state while snapshots overlap continuously`(change: Change) throws {
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
                // Compacting a key's neighbor moves the file that ends with the key to the next level, but not the file
                // after it.
                for position in stride(from: 0, to: Self.keys.count, by: 25) {
                    // There is always a snapshot, but never the same one for long.
                    let next = try database.snapshot()
                    try database.put([1], forKey: Self.keys[position] + [0x6e])
                    try database.compact(in: .range(from: Self.keys[position], to: Self.keys[position] + [0x6e]))
                    snapshot = next
                }
                for key in Self.keys {
                    #expect(try database.value(forKey: key) == expected)
                    #expect(try snapshot.value(forKey: key) == expected)
                }
                let survivors = change == .deletion ? 0 : Self.keys.count
                #expect(try database.count() == survivors + 48)
                // The last snapshot was taken before the last neighbor was written.
                #expect(try snapshot.count() == survivors + 47)
                withExtendedLifetime(snapshot) {}
            }
        }
    }

    @Test(arguments: Change.allCases)
    func `Keys keep their state while cursors overlap continuously`(change: Change) throws {
        for byteCount in Self.byteCounts {
            try withTemporaryDatabase(options: RawEngine.options) { database in
                let value = [UInt8](repeating: 7, count: byteCount)
                for key in Self.keys { try database.put(value, forKey: key) }
                try database.compact()
                var cursor = try database.cursor()
                for key in Self.keys {
                    if change == .deletion { try database.delete(key) } else { try database.put([8], forKey: key) }
                }
                let expected = change == .deletion ? nil : [UInt8]([8])
                try database.compact()
                #expect(try SplitKeys.keys(in: Manifest(ofDatabaseAt: database.path), order: .bytewise).isEmpty)
                var oldCount = 0
                while try cursor.advance() {
                    #expect(cursor.value.copied() == value)
                    oldCount += 1
                }
                #expect(oldCount == Self.keys.count)
                for position in stride(from: 0, to: Self.keys.count, by: 25) {
                    // There is always a cursor, but never the same one for long.
                    let next = try database.cursor()
                    try database.put([1], forKey: Self.keys[position] + [0x6e])
                    try database.compact(in: .range(from: Self.keys[position], to: Self.keys[position] + [0x6e]))
                    cursor = next
                }
                #expect(try SplitKeys.keys(in: Manifest(ofDatabaseAt: database.path), order: .bytewise).isEmpty)
                var seen: [[UInt8]: [UInt8]] = [:]
                while try cursor.advance() { seen[cursor.key.copied()] = cursor.value.copied() }
                for key in Self.keys {
                    #expect(try database.value(forKey: key) == expected)
                    #expect(seen[key] == expected)
                }
                let survivors = change == .deletion ? 0 : Self.keys.count
                #expect(try database.count() == survivors + 48)
                // The last cursor was created before the last neighbor was written.
                #expect(seen.count == survivors + 47)
            }
        }
    }

    @Test(arguments: Change.allCases)
    func `A key whose versions another program has split is correct after opening`(change: Change) throws {
        var splitCount = 0
        for byteCount in Self.byteCounts {
            try withTemporaryDirectory { path in
                let value = [UInt8](repeating: 7, count: byteCount)
                try RawEngine.makeSplitDatabase(at: path, keys: Self.keys, value: value, change: change)
                splitCount += SplitKeys.keys(in: try Manifest(ofDatabaseAt: path), order: .bytewise).count
                let database = try Database.open(at: path, options: RawEngine.options)
                for position in stride(from: 0, to: Self.keys.count, by: 25) {
                    try database.put([1], forKey: Self.keys[position] + [0x6e])
                    try database.compact(in: .range(from: Self.keys[position], to: Self.keys[position] + [0x6e]))
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
