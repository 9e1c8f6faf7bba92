import Foundation

/// Writes a file.
func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
}

/// Reads a file.
func read(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
}

/// Whether a file or a directory exists.
func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
