import Foundation
import Testing

@testable import lkrepl

/// The session that `make readme` writes to the README.
@Suite struct `README session` {
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
