import Foundation
import Testing

/// What people type wrong, and what they are told: `Tests/Fixtures/mistakes/commands.txt`.
@Suite(.waitsForPrograms) struct Mistakes {
    /// One wrong input, and the expected answer.
    private struct Case {
        var command: String
        var line: Int
        var code: Int32 = 0
        var fragments: [String] = []
    }

    private static let directory = Binary.package + "/Tests/Fixtures/mistakes"

    /// `$ COMMAND`, `= EXIT CODE` and `~ PART OF STANDARD ERROR`, one per line.
    private static func cases() throws -> [Case] {
        let text = try String(contentsOfFile: directory + "/commands.txt", encoding: .utf8)
        var cases: [Case] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = String(line.dropFirst(2))
            switch line.prefix(2) {
            case "$ ": cases.append(Case(command: content, line: number + 1))
            case "= ": cases[cases.count - 1].code = try #require(Int32(content))
            case "~ ": cases[cases.count - 1].fragments.append(content)
            default: #expect(line.isEmpty || line.hasPrefix("#"), "line \(number + 1) of the fixture: \(line)")
            }
        }
        return cases
    }

    @Test func `The error for a wrong input says what is wrong and what to do next`() throws {
        let cases = try Self.cases()
        #expect(cases.count >= 200)
        try Workplace.with(isVerified: false) { place in
            let prepared = try place.shell("examples='\(Binary.examples)'; . '\(Self.directory)/prepare'")
            #expect(prepared.code == 0, "\(prepared)")
            for wrong in cases {
                let outcome = try place.shell("exec </dev/null; \(wrong.command)")
                #expect(outcome.code == wrong.code, "commands.txt:\(wrong.line): \(wrong.command): \(outcome)")
                #expect(!outcome.error.isEmpty, "commands.txt:\(wrong.line): \(wrong.command) says nothing")
                for fragment in wrong.fragments {
                    #expect(
                        outcome.says(fragment),
                        "commands.txt:\(wrong.line): \(wrong.command): no \"\(fragment)\" in \(outcome)")
                }
                let isAnswered = !wrong.fragments.isEmpty
                #expect(isAnswered, "commands.txt:\(wrong.line): no expected answer for \(wrong.command)")
            }
        }
    }
}
