import LevelKit
import Testing

@Suite struct DatabaseOptionsTests {
    /// An option with a value: how to set it, and its name in error messages.
    struct Setting: Sendable, CustomStringConvertible {
        let name: String
        let value: Int
        let options: DatabaseOptions

        init(_ name: String, _ path: WritableKeyPath<DatabaseOptions, Int>, _ value: Int) {
            var options = DatabaseOptions()
            options[keyPath: path] = value
            (self.name, self.value, self.options) = (name, value, options)
        }

        var description: String { "\(name) = \(value)" }
    }

    @Test(arguments: [
        Setting("writeBufferByteCount", \.writeBufferByteCount, (64 << 10) - 1),
        Setting("writeBufferByteCount", \.writeBufferByteCount, (1 << 30) + 1),
        Setting("cacheByteCount", \.cacheByteCount, -1),
        Setting("blockByteCount", \.blockByteCount, 1023),
        Setting("blockByteCount", \.blockByteCount, (4 << 20) + 1),
        Setting("maxFileByteCount", \.maxFileByteCount, (1 << 20) - 1),
        Setting("maxFileByteCount", \.maxFileByteCount, (1 << 30) + 1),
        Setting("maxOpenFileCount", \.maxOpenFileCount, 73),
        Setting("maxOpenFileCount", \.maxOpenFileCount, 50_001),
        Setting("maxOpenFileCount", \.maxOpenFileCount, .max),
        Setting("bloomFilterBitsPerKey", \.bloomFilterBitsPerKey, -1),
        Setting("bloomFilterBitsPerKey", \.bloomFilterBitsPerKey, 65),
        Setting("writeBufferByteCount", \.writeBufferByteCount, .min),
    ])
    func `An out-of-range option is rejected with its name and its value`(setting: Setting) throws {
        try withTemporaryDirectory { directory in
            let error = try #require(throws: LevelError.self) {
                try Database.open(at: directory + "/db", options: setting.options)
            }
            #expect(error.code == .invalidArgument)
            #expect(error.message.contains(setting.name))
            #expect(error.message.contains(" \(setting.value);"))
            try expectFiles([], in: directory)
        }
    }

    @Test(arguments: [
        Setting("writeBufferByteCount", \.writeBufferByteCount, 64 << 10),
        Setting("writeBufferByteCount", \.writeBufferByteCount, 1 << 30),
        Setting("cacheByteCount", \.cacheByteCount, 0),
        Setting("cacheByteCount", \.cacheByteCount, .max),
        Setting("blockByteCount", \.blockByteCount, 1 << 10),
        Setting("blockByteCount", \.blockByteCount, 4 << 20),
        Setting("maxFileByteCount", \.maxFileByteCount, 1 << 20),
        Setting("maxFileByteCount", \.maxFileByteCount, 1 << 30),
        Setting("maxOpenFileCount", \.maxOpenFileCount, 74),
        Setting("maxOpenFileCount", \.maxOpenFileCount, 50_000),
        Setting("bloomFilterBitsPerKey", \.bloomFilterBitsPerKey, 0),
        Setting("bloomFilterBitsPerKey", \.bloomFilterBitsPerKey, 64),
    ])
    func `A database works at either end of each option's range`(setting: Setting) throws {
        try withTemporaryDatabase(options: setting.options) { database in
            for number in 0..<300 { try database.put(numberedKey(number), forKey: numberedKey(number)) }
            try database.compact()
            for number in 0..<300 { #expect(try database.value(forKey: numberedKey(number)) == numberedKey(number)) }
            #expect(try database.value(forKey: numberedKey(300)) == nil)
            #expect(try keys(of: database).count == 300)
        }
    }

    @Test func `errorIfExists without createIfMissing is rejected because nothing could ever open`() {
        var options = DatabaseOptions()
        options.createIfMissing = false
        options.errorIfExists = true
        #expect(code { try options.validate() } == .invalidArgument)
        #expect(throws: Never.self) { try DatabaseOptions().validate() }
    }

    @Test(arguments: [DatabaseOptions.Compression.none, .snappy], [DatabaseOptions.Integrity.strict, .relaxed])
    func `A database can be opened with options other than those it was created with`(
        compression: DatabaseOptions.Compression, integrity: DatabaseOptions.Integrity
    ) throws {
        try withTemporaryDirectory { directory in
            var options = DatabaseOptions()
            options.compression = compression
            options.integrity = integrity
            options.bloomFilterBitsPerKey = 0
            let first = try Database.open(at: directory + "/db", options: options)
            for number in 0..<500 { try first.put(utf8("a text a text"), forKey: numberedKey(number)) }
            try first.compact()
            try first.close()
            let second = try Database.open(at: directory + "/db")
            try second.put(utf8("new"), forKey: numberedKey(0))
            try second.compact()
            #expect(try keys(of: second).count == 500)
            #expect(try second.value(forKey: numberedKey(0)) == utf8("new"))
        }
    }

    @Test func `Compression makes tables smaller`() throws {
        var sizes: [UInt64] = []
        for compression in [DatabaseOptions.Compression.none, .snappy] {
            var options = DatabaseOptions()
            options.compression = compression
            try withTemporaryDatabase(options: options) { database in
                for number in 0..<200 {
                    try database.put(Array(repeating: 7, count: 1000), forKey: numberedKey(number))
                }
                try database.compact()
                sizes.append(try database.approximateByteCount(in: .all))
            }
        }
        #expect(sizes[0] > 190_000)
        #expect(sizes[1] < sizes[0] / 4)
    }
}
