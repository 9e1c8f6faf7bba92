import Foundation

/// A directory for one test, deleted at its end.
final class TemporaryDirectory {
    let path: String

    init(under parent: String = NSTemporaryDirectory()) throws {
        path = URL(filePath: parent).appending(path: "levelkit-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(_ name: String) -> String { path + "/" + name }

    /// Returns the sorted names of the files in a directory inside this one.
    func names(in name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(name)).sorted()
    }

    func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: path(name))))
    }

    func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        try Data(bytes).write(to: URL(filePath: path(name)))
    }
}
