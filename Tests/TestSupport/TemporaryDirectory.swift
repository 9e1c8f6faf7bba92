internal import Foundation

/// Runs `body` with the path of a new, empty directory, and deletes the directory with its content afterwards.
public func withTemporaryDirectory<R>(_ body: (String) throws -> R) throws -> R {
    let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("docindex-test-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try body(directory.path)
}

/// Helpers that read and change files of a closed database.
public enum TestFiles {
    /// Returns the sorted names of the entries of a directory.
    public static func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    /// Returns the bytes of a file.
    public static func bytes(of path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Writes a file, replacing an existing one.
    public static func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Returns the size of a file in bytes.
    public static func byteCount(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }

    /// Returns the total size in bytes of the files in a directory, optionally only those with an extension.
    public static func byteCount(in directory: String, extension suffix: String? = nil) throws -> Int {
        try names(in: directory).filter { name in suffix.map { name.hasSuffix(".\($0)") } ?? true }
            .reduce(0) { try $0 + bytes(of: directory + "/" + $1).count }
    }

    /// Copies a directory with its content.
    public static func copy(_ directory: String, to path: String) throws {
        try FileManager.default.copyItem(atPath: directory, toPath: path)
    }

    /// Creates a directory.
    public static func makeDirectory(_ directory: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    /// Deletes a directory with its content.
    public static func remove(_ directory: String) throws {
        try FileManager.default.removeItem(atPath: directory)
    }
}
