import Foundation
import Testing

/// `script/bootstrap`, run with stand-ins for system programs so that nothing is installed.
@Suite struct BootstrapTests {
    /// Runs `bootstrap tests` in an environment where every program that tests need is missing and `id -u` prints
    /// `user`.
    private func run(user: Int, environment: [String: String] = [:]) throws -> (
        code: Int32, calls: String, error: String
    ) {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bootstrap-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let calls = directory.appending(path: "calls").path
        for name in ["apt-get", "sudo"] {
            try script("echo \(name) \"$@\" >> '\(calls)'", named: name, in: directory)
        }
        try script("echo \(user)", named: "id", in: directory)
        try script("echo Linux", named: "uname", in: directory)
        try script("exit 0", named: "swift", in: directory)
        for tool in ["mktemp", "rm", "tail", "env"] {
            for place in ["/usr/bin/", "/bin/"] where FileManager.default.isExecutableFile(atPath: place + tool) {
                try? FileManager.default.createSymbolicLink(
                    atPath: directory.path + "/" + tool, withDestinationPath: place + tool)
            }
        }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [ArchitectureTests.root.appending(path: "script/bootstrap").path, "tests"]
        process.environment = ["PATH": directory.path].merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let error = Pipe()
        process.standardError = error
        try process.run()
        let text = String(decoding: try error.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, (try? String(contentsOfFile: calls, encoding: .utf8)) ?? "", text)
    }

    /// Another process writes what is executed: a child that another test starts at this moment would hold a file of
    /// this process open for writing, and such a file cannot be executed.
    private func script(_ text: String, named name: String, in directory: URL) throws {
        let path = directory.appending(path: name).path
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", #"printf '#!/bin/sh\n%s\n' "$0" > "$1" && chmod 755 "$1""#, text, path]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    /// It asks for confirmation first.
    @Test func `Only bootstrap installs packages`() throws {
        let root = ArchitectureTests.root
        var scripts = ["Makefile"]
        for folder in ["script", "Benchmarks", "Examples", "Tests", ".ci"] {
            let files = try #require(FileManager.default.enumerator(atPath: root.appending(path: folder).path))
            for case let name as String in files where !name.contains("/.build") && !name.hasPrefix(".build") {
                guard !name.contains("."), folder + "/" + name != "script/bootstrap" else { continue }
                scripts.append(folder + "/" + name)
            }
        }
        for script in scripts {
            guard let text = try? String(contentsOf: root.appending(path: script), encoding: .utf8) else { continue }
            let installs = text.split(separator: "\n").filter { !$0.hasPrefix("#") && $0.contains("apt-get ") }
            #expect(installs.isEmpty, "\(script): \(installs)")
        }
        #expect(scripts.contains("Benchmarks/run") && scripts.contains("script/check"))
    }

    #if os(Linux)
        @Test func `Without a terminal, bootstrap does not run sudo and prints the command to run`() throws {
            let outcome = try run(user: 1000)
            #expect(outcome.calls.isEmpty, "\(outcome)")
            #expect(outcome.error.contains("run: sudo apt-get install"), "\(outcome)")
        }

        @Test func `Bootstrap does not use sudo when run as root`() throws {
            let outcome = try run(user: 0)
            #expect(outcome.calls.hasPrefix("apt-get install -y"), "\(outcome)")
            #expect(!outcome.calls.contains("sudo"), "\(outcome)")
        }

        @Test func `Bootstrap does not ask for confirmation when BOOTSTRAP_YES is set`() throws {
            let outcome = try run(user: 1000, environment: ["BOOTSTRAP_YES": "1"])
            #expect(outcome.calls.hasPrefix("sudo env DEBIAN_FRONTEND=noninteractive apt-get install"), "\(outcome)")
        }
    #endif
}
