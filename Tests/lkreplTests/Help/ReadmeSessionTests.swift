import Foundation
import Testing

@testable import lkrepl

/// The session that `make readme` writes to the README.
@Suite(.waitsForPrograms) struct `README session` {
    @Test func `The session in the README matches the output of the demo store`() throws {
        try Workplace.with { place in
            try place.makePhotos("demo.store")
            let readme = try String(contentsOfFile: Binary.package + "/README.md", encoding: .utf8)
            let parts = readme.split(separator: "<!-- session -->\n```\n", maxSplits: 1)
            let recorded = try #require(parts.last?.split(separator: "```\n<!-- end of session -->").first)
            let session = try place.run(
                program: "/bin/sh",
                [Binary.examples + "/session", Binary.path, "demo.store"].map { Array($0.utf8) })
            #expect(parts.count == 2 && session.code == 0)
            #expect(session.output == recorded, "run make readme")
        }
    }
}

/// The session that `make readme` writes to docs/photographer.md.
@Suite(.waitsForPrograms) struct `Photographer's session` {
    private static let file = Binary.package + "/docs/photographer.md"

    @Test(.enabled(if: Installed.has("exiftool"), Installed.absence(of: "exiftool")))
    func `The commands in docs/photographer.md print what it shows`() throws {
        try Workplace.with { place in
            let recorded = try String(contentsOfFile: Self.file, encoding: .utf8)
            try place.write(recorded, to: "photographer.md")
            let run = try place.run(
                program: "/bin/sh",
                [Binary.package + "/script/photographer", Binary.path, place.path + "/photographer.md"].map {
                    Array($0.utf8)
                })
            #expect(run.code == 0, "\(run)")
            let repeated = String(decoding: try place.read("photographer.md"), as: UTF8.self)
            for (new, old) in zip(repeated.split(separator: "\n"), recorded.split(separator: "\n")) where new != old {
                Issue.record("it prints \(new) in place of \(old); run make readme")
                break
            }
            #expect(repeated == recorded)
        }
    }

    @Test func `docs/photographer.md has a command for each question`() throws {
        let text = try String(contentsOfFile: Self.file, encoding: .utf8)
        for command in [
            "import", "find", "near", "search", "count", "timeline", "facets", "duplicates", "update", "undo",
            "history", "album save",
            "album add", "album move", "dump", "load", "export",
        ] {
            #expect(text.contains("\n$ lkrepl \(command) "), "\(command)")
        }
        // No command ended with an error.
        #expect(!text.contains("\nlkrepl: ") && !text.contains("hint:"))
    }
}
