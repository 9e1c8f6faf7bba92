import LevelKit

/// A database whose entries are stored in a table at known positions.
enum TableFixture {
    /// Small blocks that contain the bytes of the entries uncompressed.
    static let options: DatabaseOptions = {
        var options = DatabaseOptions()
        options.compression = .none
        options.blockByteCount = 1 << 10
        return options
    }()

    /// A value that occurs once in a table, so that it can be located.
    static func value(_ number: Int) -> [UInt8] { utf8("value \(number) of many;") + Array(repeating: 7, count: 80) }

    /// Creates a database of `count` entries in one table.
    static func make(at path: String, count: Int) throws {
        let database = try Database.open(at: path, options: options)
        for number in 0..<count { try database.put(value(number), forKey: numberedKey(number)) }
        try database.compact()
        try database.close()
    }
}
