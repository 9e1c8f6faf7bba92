internal import Foundation

/// Runs `body` with the path of a new, empty directory, and deletes it with everything in it afterwards.
public func withTemporaryDirectory<R>(_ body: (String) throws -> R) throws -> R {
    let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("docindex-test-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try body(directory.path)
}

/// Reading and changing files of a database that is closed.
public enum TestFiles {
    /// The names in a directory, sorted.
    public static func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    /// The bytes of a file.
    public static func bytes(of path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Writes a file, in place of one that is there.
    public static func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// How many bytes a file has.
    public static func byteCount(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    /// The bytes that all files in a directory have together, of one extension or of any.
    public static func byteCount(in directory: String, extension suffix: String? = nil) throws -> Int {
        try names(in: directory).filter { name in suffix.map { name.hasSuffix(".\($0)") } ?? true }
            .reduce(0) { try $0 + bytes(of: directory + "/" + $1).count }
    }

    /// Copies a directory with everything in it.
    public static func copy(_ directory: String, to path: String) throws {
        try FileManager.default.copyItem(atPath: directory, toPath: path)
    }

    /// Deletes a directory with everything in it.
    public static func remove(_ directory: String) throws {
        try FileManager.default.removeItem(atPath: directory)
    }
}
