import Foundation
import Testing

/// A reader of the documentation meets the top-level types first. Results and parameters of a single call belong inside
/// the type that has the call.
@Suite struct PublicTypeTests {
    @Test(arguments: [(["LevelKit"], 35), (["DocumentModel", "TextIndexing", "DocIndex"], 50)])
    func `A library has few public types outside other types`(modules: [String], maximum: Int) throws {
        let types = try modules.flatMap { try Self.publicTypes(of: $0) }
        #expect(types.count > 20)
        #expect(types.count <= maximum, "\(types.sorted().joined(separator: ", "))")
    }

    @Test func `Only unindented public declarations count as types outside other types`() {
        let found = Self.publicTypes(
            in: """
                public struct A {
                    public struct Inner {}
                }
                @safe public final class B {}
                public indirect enum C {}
                struct Hidden {}
                extension A { public struct Nested {} }
                """)
        #expect(found == ["A", "B", "C"])
    }

    @Test(arguments: [
        ["LevelKit"], ["DocumentModel", "TextIndexing", "DocIndex"], ["DocSync"], ["DocNetwork"], ["Renditions"],
        ["StorePackages"],
    ])
    func `Every public error has a description that an alert can show`(modules: [String]) throws {
        let texts = try modules.flatMap { try Self.sources(of: $0) }
        let localized = Set(
            texts.flatMap { $0.matches(of: /extension (?:\w+\.)*(\w+): LocalizedError/) }.map { String($0.output.1) })
        let declared = texts.flatMap { text in
            text.matches(of: /public (?:struct|enum|final class) (\w+): (?:\w+, )*Error\b/).map { String($0.output.1) }
        }
        #expect(!declared.isEmpty)
        for name in declared { #expect(localized.contains(name), "\(name) is not a LocalizedError") }
    }

    private static func publicTypes(of module: String) throws -> [String] {
        try sources(of: module).flatMap { publicTypes(in: $0) }
    }

    private static func sources(of module: String) throws -> [String] {
        let root = ArchitectureTests.root.appending(path: "Sources/" + module)
        let names = try #require(FileManager.default.enumerator(atPath: root.path)).compactMap { $0 as? String }
        return try names.filter { $0.hasSuffix(".swift") }.map { name in
            try String(contentsOf: root.appending(path: name), encoding: .utf8)
        }
    }

    private static func publicTypes(in text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let declaration =
                /(?:@\w+ )*public (?:final |indirect )*(?:class|struct|enum|protocol|actor|typealias) (?<name>\w+)/
            return line.prefixMatch(of: declaration).map { String($0.output.name) }
        }
    }
}
