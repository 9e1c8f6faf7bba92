import Foundation
import Testing

/// `make install` and `make uninstall`, with stand-ins for what a release build produces.
@Suite struct InstallationTests {
    private static let files = [
        "bin/lkrepl", "share/bash-completion/completions/lkrepl", "share/fish/vendor_completions.d/lkrepl.fish",
        "share/man/man1/lkrepl.1", "share/zsh/site-functions/_lkrepl",
    ]

    private static func make(_ arguments: String...) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["make", "--no-print-directory", "-C", ArchitectureTests.root.path] + arguments
        // Without the variables of a `make` that runs the tests.
        process.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Returns the paths of the files below a directory, sorted.
    private static func files(below directory: URL) throws -> [String] {
        let walk = try #require(FileManager.default.enumerator(atPath: directory.path))
        return walk.compactMap { $0 as? String }.filter { path in
            var isDirectory: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(
                atPath: directory.appending(path: path).path, isDirectory: &isDirectory)
            return !isDirectory.boolValue
        }.sorted()
    }

    @Test func `make install copies exactly its files below DESTDIR and PREFIX, and make uninstall removes them`()
        throws
    {
        let place = FileManager.default.temporaryDirectory.appending(path: "install-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        let stage = place.appending(path: "stage")
        let root = place.appending(path: "root")
        for file in Self.files + ["../root/opt/share/man/man1/other.1"] {
            let path = stage.appending(path: file).standardizedFileURL
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.utf8).write(to: path)
        }
        let arguments = ["STAGE=\(stage.path)", "DESTDIR=\(root.path)", "PREFIX=/opt"]
        #expect(try Self.make("install", arguments[0], arguments[1], arguments[2]) == 0)
        #expect(
            try Self.files(below: root) == (Self.files + ["share/man/man1/other.1"]).map { "opt/" + $0 }.sorted())
        for file in Self.files {
            let attributes = try FileManager.default.attributesOfItem(atPath: root.path + "/opt/" + file)
            let mode = file.hasPrefix("bin/") ? 0o755 : 0o644
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(file)")
        }
        #expect(try Self.make("uninstall", arguments[0], arguments[1], arguments[2]) == 0)
        #expect(try Self.files(below: root) == ["opt/share/man/man1/other.1"])
    }
}
