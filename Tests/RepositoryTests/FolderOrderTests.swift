import Foundation
import Testing

/// Folders of a module use each other in one direction. Swift checks this for modules, but not for folders.
@Suite struct FolderOrderTests {
    @Test(arguments: [
        "LevelFiles", "LevelKit", "DocumentModel", "TextIndexing", "DocIndex", "DocSync", "Renditions", "StorePackages",
        "Inspector", "lkrepl",
    ])
    func `A folder uses only folders that ARCHITECTURE.md lists before it`(module: String) throws {
        // Files outside folders, such as `main.swift`, may use all folders.
        let order = try Self.listedFolders(of: module) + [""]
        let sources = try Self.sources(of: module)
        #expect(Set(order).union([""]) == Set(sources.map(\.folder)).union([""]))
        let upward = Self.references(between: sources).filter { reference in
            guard let user = order.firstIndex(of: reference.user), let owner = order.firstIndex(of: reference.owner)
            else {
                return true
            }
            return owner > user
        }
        for reference in upward {
            Issue.record(
                "\(reference.user)/\(reference.file) uses \(reference.type) of \(reference.owner), a higher folder")
        }
    }

    @Test func `References in comments and strings do not count, references in interpolations do`() {
        let code = SwiftCode.withoutCommentsAndStrings(
            #"""
            let a = "Upper" // Upper
            /* Upper /* Upper */ */ let b = #"Upper \(Upper)"#
            let c = "\(lower(Middle.text("x Upper")))"
            """#)
        #expect(!code.contains("Upper"))
        #expect(code.contains("Middle"))
    }

    @Test func `A reference to a type of another folder names its file and type`() {
        let sources = [
            Source(folder: "Low", file: "A.swift", code: "struct A { let b: B }"),
            Source(
                folder: "High", file: "B.swift", code: "enum B { struct Inner {} }\nprivate struct C {}\nextension A {}"
            ),
        ]
        let found = Self.references(between: sources)
        #expect(found.contains(Reference(user: "Low", file: "A.swift", type: "B", owner: "High")))
        #expect(found.contains(Reference(user: "High", file: "B.swift", type: "A", owner: "Low")))
        #expect(found.count == 2)
    }

    /// A file, reduced to its code.
    private struct Source {
        let folder: String
        let file: String
        let code: String
    }

    /// The use of a top-level type of one folder in a file of another one.
    private struct Reference: Hashable {
        let user: String
        let file: String
        let type: String
        let owner: String
    }

    private static func listedFolders(of module: String) throws -> [String] {
        let text = try ArchitectureTests.text("ARCHITECTURE.md")
        // A line of the list can name several folders.
        return text.split(separator: "\n").filter { $0.hasPrefix("- `Sources/") }.flatMap { line in
            line.matches(of: /`Sources\/(?<module>\w+)\/(?<folder>[\w\/]+)`/)
                .filter { $0.output.module == module }.map { String($0.output.folder) }
        }
    }

    private static func sources(of module: String) throws -> [Source] {
        let root = ArchitectureTests.root.appending(path: "Sources/" + module)
        let names = try #require(FileManager.default.enumerator(atPath: root.path)).compactMap { $0 as? String }
        return try names.filter { $0.hasSuffix(".swift") }.map { name in
            let text = try String(contentsOf: root.appending(path: name), encoding: .utf8)
            let folder = name.split(separator: "/").dropLast().joined(separator: "/")
            return Source(
                folder: folder, file: String(name.split(separator: "/").last ?? ""),
                code: SwiftCode.withoutCommentsAndStrings(text))
        }
    }

    /// Types of the same name in two folders cannot be told apart by name, and are left out.
    private static func references(between sources: [Source]) -> Set<Reference> {
        var owners: [Substring: Set<String>] = [:]
        for source in sources {
            for name in SwiftCode.topLevelTypes(in: source.code) { owners[name, default: []].insert(source.folder) }
        }
        var references: Set<Reference> = []
        for source in sources {
            for word in SwiftCode.words(in: source.code) {
                guard let owner = owners[word], owner.count == 1, let owner = owner.first, owner != source.folder else {
                    continue
                }
                references.insert(Reference(user: source.folder, file: source.file, type: String(word), owner: owner))
            }
        }
        return references
    }
}

/// The few facts about Swift's syntax that the search for references needs.
private enum SwiftCode {
    /// Returns the code with comments and the literal parts of strings removed. Nested strings of interpolations are
    /// removed too.
    static func withoutCommentsAndStrings(_ text: String) -> String {
        var reader = Reader(bytes: Array(text.utf8))
        reader.readCode(isInterpolation: false)
        return String(decoding: reader.code, as: UTF8.self)
    }

    /// Returns the names of types that are declared at the top level and are not private.
    static func topLevelTypes(in code: String) -> [Substring] {
        var depth = 0
        var names: [Substring] = []
        for line in code.split(separator: "\n") {
            if depth == 0, line.utf8.first != UInt8(ascii: " "), !line.contains("private "),
                let match = line.firstMatch(of: /\b(?:class|struct|enum|protocol|actor|typealias)\s+(?<name>[A-Z]\w*)/),
                !line.prefix(upTo: match.range.lowerBound).contains("{")
            {
                names.append(match.output.name)
            }
            for byte in line.utf8 {
                if byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "}") { depth -= 1 }
            }
        }
        return names
    }

    static func words(in code: String) -> Set<Substring> {
        Set(code.utf8.split { !isWordByte($0) }.map { Substring($0) })
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0
        var code: [UInt8] = []

        func starts(with text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

        mutating func readCode(isInterpolation: Bool) {
            var depth = 0
            while position < bytes.count {
                if starts(with: "//") {
                    while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
                } else if starts(with: "/*") {
                    skipBlockComment()
                } else if let hashCount = hashesOfString() {
                    readString(hashCount: hashCount)
                } else {
                    let byte = bytes[position]
                    if isInterpolation, byte == UInt8(ascii: ")"), depth == 0 { return }
                    if byte == UInt8(ascii: "(") { depth += 1 }
                    if byte == UInt8(ascii: ")") { depth -= 1 }
                    code.append(byte)
                    position += 1
                }
            }
        }

        private mutating func skipBlockComment() {
            var depth = 0
            repeat {
                if starts(with: "/*") {
                    depth += 1
                    position += 2
                } else if starts(with: "*/") {
                    depth -= 1
                    position += 2
                } else {
                    position += 1
                }
            } while depth > 0 && position < bytes.count
        }

        /// The number of `#` before a quotation mark; `nil` if no string begins here.
        private func hashesOfString() -> Int? {
            let hashes = bytes[position...].prefix { $0 == UInt8(ascii: "#") }
            return hashes.endIndex < bytes.count && bytes[hashes.endIndex] == UInt8(ascii: "\"") ? hashes.count : nil
        }

        private mutating func readString(hashCount: Int) {
            let hashes = String(repeating: "#", count: hashCount)
            position += hashCount
            let quote = starts(with: "\"\"\"") ? "\"\"\"" : "\""
            position += quote.count
            code.append(UInt8(ascii: " "))
            while position < bytes.count {
                if starts(with: quote + hashes) {
                    position += quote.count + hashCount
                    break
                } else if starts(with: "\\" + hashes + "(") {
                    position += hashCount + 2
                    readCode(isInterpolation: true)
                    code.append(UInt8(ascii: " "))
                    position += 1
                } else if starts(with: "\\" + hashes) {
                    position += hashCount + 2
                } else {
                    position += 1
                }
            }
            code.append(UInt8(ascii: " "))
        }
    }
}
