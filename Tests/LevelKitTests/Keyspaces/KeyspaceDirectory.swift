import Foundation
import LevelKit
import Testing

/// Calls `body` with the path of a separate database, which is deleted afterwards.
func withDatabasePath(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "levelkit-keyspaces-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(directory.path)
}

/// Returns the code and the message of the error that `body` throws.
func levelError(_ body: () throws -> Void) throws -> LevelError {
    do {
        try body()
    } catch let error as LevelError {
        return error
    }
    throw UnexpectedSuccess()
}

struct UnexpectedSuccess: Error {}

struct Rating: Codable, Hashable {
    var stars: Int
    var comment: String?
}
