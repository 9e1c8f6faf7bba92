internal import Foundation

/// Real data that lies beside the repository, not in it. Tests that want it are skipped where it is missing.
public enum SharedTestData {
    /// The directory: `../shared/data`, seen from the root of the package.
    public static let directory: String = {
        // Root/Tests/TestSupport/SharedTestData.swift
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        return url.deletingLastPathComponent().appendingPathComponent("shared/data").path
    }()

    /// Whether the directory is there.
    public static var isAvailable: Bool { FileManager.default.fileExists(atPath: directory) }

    /// Whether a file is there.
    public static func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(of: name)) }

    /// The path of a file.
    public static func path(of name: String) -> String { directory + "/" + name }

    /// The bytes of a file.
    public static func bytes(of name: String) throws -> [UInt8] { try TestFiles.bytes(of: path(of: name)) }

    /// The lines of a file, without empty ones.
    public static func lines(of name: String) throws -> [[UInt8]] {
        try bytes(of: name).split(separator: UInt8(ascii: "\n")).map { Array($0) }
    }
}
