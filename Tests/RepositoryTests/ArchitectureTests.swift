import Foundation
import Testing

/// Statements of the documentation about the repository are true.
@Suite struct ArchitectureTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Returns paths in backquotes or link targets that start with a folder or file of the repository.
    static func paths(in text: String) -> Set<String> {
        var paths: Set<String> = []
        let pattern = /[`(](?<path>(?:Sources|Tests|Snippets|Examples|Benchmarks|docs|script)\/[A-Za-z0-9_+.\/-]+)[`)]/
        for match in text.matches(of: pattern) { paths.insert(String(match.output.path)) }
        return paths
    }

    @Test(
        "every path that the documents name exists",
        arguments: [
            "ARCHITECTURE.md", "README.md", "CONTRIBUTING.md", "docs/FORMAT.md",
        ])
    func namedPathsExist(document: String) throws {
        let paths = Self.paths(in: try Self.text(document))
        if document == "ARCHITECTURE.md" { #expect(paths.count > 20) }
        for path in paths {
            let exists = FileManager.default.fileExists(atPath: Self.root.appending(path: path).path)
            #expect(exists, "\(document) names \(path), which does not exist")
        }
    }

    @Test func `ARCHITECTURE.md names every source folder`() throws {
        let text = try Self.text("ARCHITECTURE.md")
        let sources = Self.root.appending(path: "Sources")
        var folderCount = 0
        let walk = try #require(FileManager.default.enumerator(atPath: sources.path))
        for case let path as String in walk where !path.contains(".docc") {
            let values = try sources.appending(path: path).resourceValues(forKeys: [.isDirectoryKey])
            guard values.isDirectory == true else { continue }
            folderCount += 1
            #expect(text.contains("Sources/\(path)"), "ARCHITECTURE.md does not say what Sources/\(path) is for")
        }
        #expect(folderCount > 20)
    }

    @Test func `Every term of the glossary names a type of the sources`() throws {
        let text = try Self.text("ARCHITECTURE.md")
        let terms = text.matches(of: /\*\*(?<term>[A-Z][\w ]+)\*\* \(`(?<type>\w+)`\)/)
        #expect(terms.count > 10)
        let declared = try Self.declaredTypes()
        for term in terms {
            #expect(
                declared.contains(String(term.output.type)),
                "\(term.output.term) names \(term.output.type), which is not declared in Sources")
        }
    }

    /// Returns the names of all types declared in the sources.
    private static func declaredTypes() throws -> Set<String> {
        var names: Set<String> = []
        let sources = root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path))
        for case let path as String in files where path.hasSuffix(".swift") {
            let code = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            for match in code.matches(of: /\b(?:struct|class|enum|protocol|actor|typealias) (?<name>[A-Z]\w*)/) {
                names.insert(String(match.output.name))
            }
        }
        return names
    }

    @Test func `No source imports all of Foundation where FoundationEssentials exists`() throws {
        let sources = Self.root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path))
        var count = 0
        for case let path as String in files where path.hasSuffix(".swift") {
            let source = try Self.text("Sources/\(path)")
            for (number, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            where line.contains(/import (struct |class |func |enum )?Foundation/)
                && !line.contains("FoundationEssentials")
            {
                count += 1
                let lines = source.split(separator: "\n", omittingEmptySubsequences: false).prefix(number)
                #expect(
                    lines.last?.hasSuffix("#else") == true
                        && lines.dropLast(2).last?.hasSuffix("(FoundationEssentials)") == true
                        || lines.first == "#if canImport(ImageIO)", "Sources/\(path):\(number + 1)")
            }
        }
        #expect(count > 10)
    }

    @Test func `Only the bridge module imports CLevelDB, and module dependencies point in one direction`() throws {
        let forbidden = [
            "Sources/LevelFiles": [
                "CLevelDB", "LevelKit", "DocumentModel", "TextIndexing", "DocIndex", "lkrepl", "ArgumentParser",
                "CCrypto", "Foundation",
            ],
            "Sources/LevelKit": [
                "CSnappy", "CStemmer", "CUTF8Proc", "DocumentModel", "TextIndexing", "DocIndex", "lkrepl",
                "ArgumentParser", "CCrypto",
            ],
            "Sources/DocumentModel": [
                "CLevelDB", "CSnappy", "CStemmer", "CUTF8Proc", "CCrypto", "LevelFiles", "TextIndexing", "DocIndex",
                "lkrepl", "ArgumentParser",
            ],
            "Sources/TextIndexing": [
                "CLevelDB", "CSnappy", "CCrypto", "LevelFiles", "DocIndex", "lkrepl", "ArgumentParser",
            ],
            "Sources/DocIndex": [
                "CLevelDB", "CSnappy", "CStemmer", "CUTF8Proc", "LevelFiles", "lkrepl", "ArgumentParser",
            ],
            "Sources/DocSync": [
                "CLevelDB", "CSnappy", "CStemmer", "CUTF8Proc", "CCrypto", "LevelFiles", "DocNetwork", "lkrepl",
                "ArgumentParser",
            ],
            "Sources/Pictures": [
                "LevelFiles", "LevelKit", "DocumentModel", "TextIndexing", "DocIndex", "Renditions", "Foundation",
            ],
            "Sources/Renditions": [
                "CLevelDB", "CSnappy", "CStemmer", "CUTF8Proc", "CCrypto", "DocSync", "DocNetwork", "Inspector",
                "lkrepl",
                "ArgumentParser",
            ],
            "Sources/StorePackages": [
                "CLevelDB", "CSnappy", "CStemmer", "CUTF8Proc", "CCrypto", "LevelFiles", "Renditions", "DocSync",
                "DocNetwork",
                "Inspector", "lkrepl", "ArgumentParser",
            ],
            "Sources/Inspector": [
                "CLevelDB", "CSnappy", "CStemmer", "CUTF8Proc", "CCrypto", "LevelFiles", "DocNetwork", "lkrepl",
                "ArgumentParser",
                "Foundation",
            ],
            "Sources/DocNetwork": [
                "CLevelDB", "CSnappy", "CStemmer", "CUTF8Proc", "CCrypto", "LevelFiles", "LevelKit", "lkrepl",
                "ArgumentParser",
            ],
            "Sources/lkrepl": ["CLevelDB", "CSnappy", "CStemmer", "CUTF8Proc", "CCrypto"],
        ]
        for (folder, modules) in forbidden {
            let walk = try #require(FileManager.default.enumerator(atPath: Self.root.appending(path: folder).path))
            for case let path as String in walk where path.hasSuffix(".swift") {
                let source = try Self.text("\(folder)/\(path)")
                let imports = source.split(separator: "\n").filter { $0.contains("import ") }
                for module in modules {
                    let isImported = imports.contains { $0.hasSuffix("import \(module)") }
                    #expect(!isImported, "\(folder)/\(path) imports \(module)")
                }
                if folder == "Sources/LevelKit", !path.hasPrefix("CBridge/") {
                    #expect(!imports.contains { $0.hasSuffix("import CLevelDB") }, "\(path) imports CLevelDB")
                }
                if folder == "Sources/DocIndex", !path.hasPrefix("Primitives/") {
                    #expect(!imports.contains { $0.hasSuffix("import CCrypto") }, "\(path) imports CCrypto")
                }
                if folder == "Sources/TextIndexing", !path.hasPrefix("Analysis/") {
                    #expect(!imports.contains { $0.hasSuffix("import CStemmer") }, "\(path) imports CStemmer")
                    #expect(!imports.contains { $0.hasSuffix("import CUTF8Proc") }, "\(path) imports CUTF8Proc")
                }
            }
        }
    }

    @Test func `Only one file imports libjpeg-turbo, and only the shell imports the renditions`() throws {
        let walk = try #require(FileManager.default.enumerator(atPath: Self.root.appending(path: "Sources").path))
        var fileCount = 0
        for case let path as String in walk where path.hasSuffix(".swift") {
            let source = try Self.text("Sources/\(path)")
            let isFence = path == "Renditions/Renderers/TurboJPEG.swift"
            if isFence { fileCount += 1 }
            #expect(source.contains(/import CTurboJPEG\n/) == isFence, "Sources/\(path)")
            if source.contains(/import Renditions\n/) { #expect(path.hasPrefix("lkrepl/"), "Sources/\(path)") }
        }
        #expect(fileCount == 1)
        // A target that does not depend on the renditions cannot link them.
        let manifest = try Self.text("Package.swift")
        let declaration = /\.(?:target|executableTarget|testTarget)\(\s*name: "(?<name>\w+)"/
        let targets = manifest.matches(of: declaration)
        #expect(targets.count > 10)
        for (target, next) in zip(targets, targets.dropFirst().map(\.range.lowerBound) + [manifest.endIndex]) {
            let depends = manifest[target.range.upperBound..<next].contains("\"Renditions\"")
            let mayDepend = ["lkrepl", "RenditionsTests"].contains(String(target.output.name))
            #expect(!depends || mayDepend, "\(target.output.name) depends on Renditions")
        }
    }

    @Test func `Only DocNetwork imports the packages of the network, and is empty without a trait`() throws {
        let walk = try #require(FileManager.default.enumerator(atPath: Self.root.appending(path: "Sources").path))
        var fileCount = 0
        for case let path as String in walk where path.hasSuffix(".swift") {
            let source = try Self.text("Sources/\(path)")
            guard path.hasPrefix("DocNetwork/") else {
                #expect(!source.contains(/import (?:NIO|AsyncHTTPClient)/), "Sources/\(path) imports the network")
                continue
            }
            fileCount += 1
            let hasTrait = source.hasPrefix("#if Network\n") || source.hasPrefix("#if Server\n")
            #expect(hasTrait && source.hasSuffix("\n#endif\n"), "Sources/\(path)")
            guard source.hasPrefix("#if Server\n") else { continue }
            // What listens needs neither the client nor TLS, except in parts that are empty without them.
            let other = source.replacing(/#if Network\n[^#]*#e/, with: "")
            #expect(!other.contains(/import (?:NIOSSL|AsyncHTTPClient)/), "Sources/\(path) needs the trait Network")
        }
        #expect(fileCount > 5)
    }

    @Test func `The client introduces itself with the version of lkrepl`() throws {
        let version = try #require(
            try Self.text("Sources/lkrepl/CommandLine/Version.swift").firstMatch(of: /text = "(?<number>[^"]+)"/))
        let client = try Self.text("Sources/DocNetwork/HTTPClientTransport.swift")
        #expect(client.contains("userAgent = \"LevelKit/\(version.output.number)\""))
    }

    @Test(arguments: ["DocIndex", "LevelKit"])
    func `The examples in the README are identical to the compiled snippets`(module: String) throws {
        let snippet = try Self.text(module == "DocIndex" ? "Snippets/FirstPhotos.swift" : "Snippets/KeyValue.swift")
        let begin = try #require(snippet.range(of: "// snippet.show\n"))
        let end = try #require(snippet.range(of: "// snippet.hide"))
        let code = "import \(module)\n\n" + snippet[begin.upperBound..<end.lowerBound]
        #expect(try Self.text("README.md").contains("```swift\n\(code)```"))
    }
}
