import Foundation
import LevelKit
import Testing

/// Databases that C++ LevelDB wrote for the tests of the Go port, from `../shared/data/leveldb` next to the package.
@Suite struct GoldenDatabaseTests {
    /// Database, LevelKitTests, Tests, then the root of the package; the shared folder is next to it.
    private static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/data/leveldb/golang-testdata").path

    /// Whether the databases exist; they are not part of the package.
    private static let isAvailable = FileManager.default.fileExists(atPath: directory)

    @Test(
        .enabled(if: isAvailable, "../shared/data/leveldb is not there"),
        arguments: [
            (1, [:]), (2, ["foo": "four", "baz": "three"]), (3, ["foo": "four", "baz": "three"]),
            (4, ["foo": "five", "quux": "six"]),
        ] as [(Int, [String: String])]
    )
    func `A database of another LevelDB port can be opened, read and written`(stage: Int, expected: [String: String])
        throws
    {
        try withTemporaryDirectory { directory in
            try copyDatabase(from: "\(Self.directory)/db-stage-\(stage)", to: directory + "/db")
            var options = DatabaseOptions()
            options.createIfMissing = false
            let database = try Database.open(at: directory + "/db", options: options)
            let found = try entries(of: database).map {
                (String(decoding: $0.key, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
            }
            #expect(Dictionary(uniqueKeysWithValues: found) == expected)
            for (key, value) in expected { #expect(try database.value(forKey: key) == utf8(value)) }
            try database.put("written here", forKey: "new")
            try database.compact()
            try database.close()
            let again = try Database.open(at: directory + "/db", options: options)
            #expect(try keys(of: again).count == expected.count + 1)
        }
    }
}
