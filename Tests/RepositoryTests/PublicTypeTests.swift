import Foundation
import Testing

/// A reader of the documentation meets the top-level types first. Results and parameters of a single call belong inside
/// the type that has the call.
@Suite struct PublicTypeTests {
    @Test(arguments: [("LevelKit", 35), ("DocIndex", 50)])
    func `A module has few public types outside other types`(module: String, maximum: Int) throws {
        let types = try Self.publicTypes(of: module)
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

    private static func publicTypes(of module: String) throws -> [String] {
        let root = ArchitectureTests.root.appending(path: "Sources/" + module)
        let names = try #require(FileManager.default.enumerator(atPath: root.path)).compactMap { $0 as? String }
        return try names.filter { $0.hasSuffix(".swift") }.flatMap { name in
            publicTypes(in: try String(contentsOf: root.appending(path: name), encoding: .utf8))
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
