import Foundation
import Testing

@testable import DocIndex

@Suite struct ComponentRangesTests {
    /// A row of the table in the documentation of `ComponentRangesBuilder`.
    struct Row: Sendable, CustomTestStringConvertible {
        let condition: String
        /// A path, followed by `desc` or a collation.
        let component: String
        let entries: String
        let isExact: Bool

        var testDescription: String { "\(condition) on \(component)" }
    }

    private static let documented: [Row] = {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/DocIndex/Planner/ComponentRanges.swift")
        let text = (try? String(contentsOf: source, encoding: .utf8)) ?? ""
        let pattern = /\/\/\/ \| `(.+)` \| `(.+)` \| (.+) \| (yes|no) \|/
        return text.matches(of: pattern).map { match in
            let (_, condition, component, entries, isExact) = match.output
            return Row(
                condition: String(condition), component: String(component), entries: String(entries),
                isExact: isExact == "yes")
        }
    }()

    private static func component(_ text: String) throws -> IndexDefinition.Component {
        let words = text.split(separator: " ").map(String.init)
        var component = IndexDefinition.Component(try FieldPath(parsing: words[0]))
        for word in words.dropFirst() {
            if let order = IndexDefinition.Component.Order(rawValue: word) {
                component.order = order
            } else {
                component.collation = try #require(TextCollation(rawValue: word))
            }
        }
        return component
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }

    @Test func `The documentation contains worked examples for both directions`() {
        #expect(Self.documented.count >= 10)
        #expect(Self.documented.contains { $0.component.hasSuffix("desc") })
    }

    @Test(arguments: documented)
    func `The condition has the bytes given in the documentation`(row: Row) throws {
        let ranges = try #require(
            ComponentRanges(
                try Filter(parsing: row.condition), component: try Self.component(row.component), isOnlyComponent: true)
        )
        let entries =
            switch ranges.shape {
            case .points(let points): points.map { "`\(Self.hex($0))`" }
            case .intervals(let intervals):
                intervals.map { "from `\(Self.hex($0.lower))` to `\(Self.hex($0.upper))`" }
            }
        #expect(entries.joined(separator: ", ") == row.entries)
        #expect(ranges.isExact == row.isExact)
    }
}
