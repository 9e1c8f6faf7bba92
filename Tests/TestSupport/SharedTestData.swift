internal import Foundation

/// Real data stored next to the repository, not in it. Tests that need it are skipped if it is missing.
public enum SharedTestData {
    /// The directory `../shared/data`, relative to the root of the package.
    public static let directory: String = {
        // Root/Tests/TestSupport/SharedTestData.swift
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        return url.deletingLastPathComponent().appendingPathComponent("shared/data").path
    }()

    /// Whether the directory exists.
    public static var isAvailable: Bool { FileManager.default.fileExists(atPath: directory) }

    /// Returns whether a file exists.
    public static func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(of: name)) }

    /// Returns the path of a file.
    public static func path(of name: String) -> String { directory + "/" + name }

    /// Returns the bytes of a file.
    public static func bytes(of name: String) throws -> [UInt8] { try TestFiles.bytes(of: path(of: name)) }

    /// Returns the lines of a file, without empty ones.
    public static func lines(of name: String) throws -> [[UInt8]] {
        try bytes(of: name).split(separator: UInt8(ascii: "\n")).map { Array($0) }
    }
}
