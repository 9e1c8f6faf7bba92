internal import Foundation

/// Runs `body` with the path of a new, empty directory, and deletes it with everything in it afterwards: for tests that
/// wait for tasks.
public func withTemporaryPath<R>(_ body: (String) async throws -> R) async throws -> R {
    let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("docindex-test-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory.path)
}

/// The path of a directory that does not exist yet; the test removes what it makes there.
public func temporaryPath() -> String {
    FileManager.default.temporaryDirectory
        .appendingPathComponent("docindex-test-\(UUID().uuidString)", isDirectory: true).path
}
