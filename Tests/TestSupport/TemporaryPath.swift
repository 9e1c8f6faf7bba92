internal import Foundation

/// Runs `body` with the path of a new, empty directory, and deletes the directory with its content afterwards. For
/// tests that await tasks.
public func withTemporaryPath<R>(_ body: (String) async throws -> R) async throws -> R {
    let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("docindex-test-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory.path)
}

/// Returns a path at which no file exists yet; the test deletes what it creates there.
public func temporaryPath() -> String {
    FileManager.default.temporaryDirectory
        .appendingPathComponent("docindex-test-\(UUID().uuidString)", isDirectory: true).path
}
