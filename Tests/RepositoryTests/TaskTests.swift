import Foundation
import Testing

/// What the documents, the continuous integration and the Makefile say about tasks agrees.
@Suite struct TaskTests {
    /// The lines of `Tests/only-in-check.txt`: a pattern for `swift test --filter`, and the reason.
    private static func onlyInCheck() throws -> [(pattern: String, reason: String)] {
        try ArchitectureTests.text("Tests/only-in-check.txt").split(separator: "\n").compactMap { line in
            guard !line.hasPrefix("#") else { return nil }
            let parts = line.split(separator: "\t", maxSplits: 1)
            return try (String(parts[0]), String(#require(parts.dropFirst().first)))
        }
    }

    /// The names of all suites and tests in the sources.
    private static func testSources() throws -> String {
        let walk = try #require(FileManager.default.enumerator(atPath: ArchitectureTests.root.path + "/Tests"))
        return try walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
            .map { try ArchitectureTests.text("Tests/" + $0) }.joined()
    }

    @Test func `Each pattern of tests that only make check runs names a suite, or a suite and a test`() throws {
        let sources = try Self.testSources().replacing("`", with: "")
        let patterns = try Self.onlyInCheck().map(\.pattern)
        #expect(patterns.count > 10)
        #expect(Set(patterns).count == patterns.count)
        for pattern in patterns {
            let names = pattern.replacing(/^\w+Tests\./, with: "").split(separator: "/", maxSplits: 1)
            #expect(sources.contains("struct \(names[0]) {"), "no suite is named \(names[0])")
            for name in names.dropFirst() {
                #expect(sources.contains("func \(name)("), "no test is named \(name)")
            }
        }
    }

    @Test func `CONTRIBUTING.md lists what only make check runs`() throws {
        let text = try ArchitectureTests.text("CONTRIBUTING.md")
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let listed = try Self.onlyInCheck()
        for (pattern, reason) in listed {
            let name = pattern.replacing("`", with: "").replacing(/^\w+\\\./, with: "")
            #expect(rows.contains("| `\(name)` | \(reason) |"), "CONTRIBUTING.md lacks: | `\(name)` | \(reason) |")
        }
        #expect(rows.count == listed.count)
    }

    @Test(arguments: ["README.md", "CONTRIBUTING.md", "Benchmarks/README.md", ".ci/run", ".github/workflows/ci.yml"])
    func `Every make target that a file names exists`(file: String) throws {
        let targets = try Set(
            ArchitectureTests.text("Makefile").matches(of: /\n(?<name>[a-z][a-z-]+):/).map { String($0.output.name) })
        let text = try ArchitectureTests.text(file)
        let names = text.matches(of: /(?:`|run: |\n *)make (?<target>[a-z][a-z-]+)/).map { String($0.output.target) }
        #expect(!names.isEmpty)
        for name in Set(names) { #expect(targets.contains(name), "\(file) names make \(name)") }
    }

    @Test(arguments: [([], "swift build --traits Network\n"), (["TRAITS="], "swift build \n")])
    func `make builds with the network, unless it is told not to`(settings: [String], expected: String) throws {
        let lines = try Self.commands(of: "build", settings)
        #expect(lines.hasSuffix(expected), "\(lines)")
    }

    @Test func `make test installs only what building needs, and says what it does and how long it takes`() throws {
        let commands = try Self.commands(of: "test").split(separator: "\n").map(String.init)
        #expect(commands == ["script/bootstrap", "script/test quick"], "\(commands)")
        // Nothing is built or run.
        let quick = try Self.output(of: "script/test", ["quick"])
        let steps = quick.split(separator: "\n").filter { $0.hasPrefix("test 0:0") }
        #expect(
            steps.first?.contains("building") == true && steps.last?.contains(/about \w+ minutes/) == true, "\(quick)")
    }

    @Test func `make demo announces each step before it begins`() throws {
        let text = try ArchitectureTests.text("script/demo").split(separator: "\n").filter { !$0.hasPrefix("#") }
        let words = ["script/bootstrap", " build ", "Examples/photos/demo"]
        for word in words {
            let place = try #require(text.firstIndex { $0.contains(word) && !$0.hasPrefix("step ") }, "\(word)")
            let before = text[..<place].last { !$0.isEmpty && $0 != "echo" }
            #expect(before?.hasPrefix("step \"") == true, "\(word): \(before ?? "")")
        }
        #expect(text.contains { $0.hasPrefix("step \"building") && $0.contains("minutes") })
    }

    /// Returns what a script prints that builds with a program that does nothing.
    private static func output(of script: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: ArchitectureTests.root.path + "/" + script)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT": "true"]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(text)")
        return text
    }

    /// Returns the commands that `make` would run for a target.
    private static func commands(of target: String, _ settings: [String] = []) throws -> String {
        let make = Process()
        make.executableURL = URL(filePath: "/usr/bin/env")
        make.arguments =
            ["-u", "TRAITS", "-u", "MAKEFLAGS", "make", "-n", "-C", ArchitectureTests.root.path, "SWIFT=swift"]
            + ["--no-print-directory", target] + settings
        let output = Pipe()
        make.standardOutput = output
        try make.run()
        let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        make.waitUntilExit()
        try #require(make.terminationStatus == 0, "\(lines)")
        return lines
    }

    /// No other task runs the sanitizers, so nothing else would show that one is not called, or tests less.
    @Test func `make sanitize runs the tests of the libraries up to DocIndex under both sanitizers`() throws {
        let manifest = try ArchitectureTests.text("Package.swift")
        let targets = manifest.matches(of: /\.testTarget\(\s*name: "(?<name>\w+)"/).map { String($0.output.name) }
        let lines = try Self.commands(of: "sanitize").replacing("\\\n", with: " ").split(separator: "\n")
        for (sanitizer, skipped) in [("address", []), ("thread", ["ForkTests"])] as [(String, [String])] {
            let commands = lines.filter { $0.contains("swift test --sanitize=\(sanitizer) ") }
            let command = try #require(commands.first, "\(lines)")
            #expect(commands.count == 1)
            let filter = try #require(command.firstMatch(of: /--filter '(?<pattern>[^']+)'/), "\(command)")
            let names = filter.output.pattern.split(separator: "|").map { String($0) }
            #expect(
                names.sorted() == [
                    "DocIndexTests", "DocumentModelTests", "LevelFilesTests", "LevelKitTests", "TextIndexingTests",
                ])
            #expect(Set(names).isSubset(of: targets), "Package.swift has other test targets: \(targets)")
            #expect(command.matches(of: /--skip (?<name>\S+)/).map { String($0.output.name) } == skipped)
        }
    }

    /// The thread sanitizer does not recognize `Mutex` on Linux, so the modules replace it with their own.
    @Test func `Under the thread sanitizer, the libraries use only a mutex that it recognizes`() throws {
        let condition = "LEVELKIT_THREAD_SANITIZER"
        #expect(try Self.commands(of: "sanitize").contains("--sanitize=thread -Xswiftc -D\(condition) "))
        let substitutes = [
            "LevelKit": "Concurrency/SanitizedMutex.swift", "DocumentModel": "Primitives/SanitizedMutex.swift",
            "TextIndexing": "Analysis/SanitizedMutex.swift", "DocIndex": "Primitives/SanitizedMutex.swift",
        ]
        for (module, substitute) in substitutes {
            let folder = "Sources/" + module
            let text = try ArchitectureTests.text("\(folder)/\(substitute)")
            #expect(text.hasPrefix("#if \(condition)\n") && text.contains(/(?:typealias|struct) Mutex</), "\(folder)")
            let walk = try #require(
                FileManager.default.enumerator(atPath: ArchitectureTests.root.path + "/" + folder))
            for case let path as String in walk where path.hasSuffix(".swift") && path != substitute {
                let source = try ArchitectureTests.text("\(folder)/\(path)")
                #expect(!source.contains("Synchronization.Mutex"), "\(folder)/\(path)")
            }
        }
        let walk = try #require(
            FileManager.default.enumerator(atPath: ArchitectureTests.root.path + "/Sources/LevelFiles"))
        for case let path as String in walk where path.hasSuffix(".swift") {
            let source = try ArchitectureTests.text("Sources/LevelFiles/" + path)
            #expect(!source.contains("Mutex"), "LevelFiles has no substitute: Sources/LevelFiles/\(path)")
        }
    }

    /// In tests of their internal declarations, `Mutex` is ambiguous without a third one.
    @Test(arguments: ["TestSupport", "LevelKitTests", "DocIndexTests", "DocSyncTests"])
    func `Under the thread sanitizer, tests have a mutex of their own`(folder: String) throws {
        let text = try ArchitectureTests.text("Tests/\(folder)/SanitizedMutex.swift")
        #expect(text.hasPrefix("#if LEVELKIT_THREAD_SANITIZER\n") && text.contains(/(?:typealias|struct) Mutex</))
    }

    @Test func `The products depend on no package`() throws {
        let manifest = try ArchitectureTests.text("Package.swift")
        #expect(!manifest.contains(".executable("))
        let library = try #require(manifest.firstMatch(of: /\.target\(\s*name: "DocIndex"(?s:.*?)swiftSettings/))
        #expect(!library.output.contains(".product("))
        #expect(!manifest.contains("swift-crypto"))
        // The packages of the network are behind traits that are off: one function names them.
        #expect(!manifest.contains(".default("))
        #expect(manifest.contains(".product(name: name, package: package, condition: .when(traits: [trait]))"))
        #expect(manifest.split(separator: ".product(", omittingEmptySubsequences: false).count == 3)
    }

    @Test func `Continuous integration runs the commands in the README`() throws {
        for file in [".ci/run", ".github/workflows/ci.yml"] {
            let text = try ArchitectureTests.text(file)
            #expect(["make demo", "make test", "make check"].allSatisfy(text.contains), "\(file)")
        }
        let script = try ArchitectureTests.text("script/documentation")
        let documented = try #require(script.firstMatch(of: /documented="(?<modules>[\w ]+)"/))
        let reexported = try #require(script.firstMatch(of: /reexported-modules=(?<modules>[\w,]+)/))
        let list = (documented.output.modules.split(separator: " ") + reexported.output.modules.split(separator: ","))
            .joined(separator: ", ")
        #expect(try ArchitectureTests.text(".spi.yml").contains("documentation_targets: [\(list)]"))
    }
}
