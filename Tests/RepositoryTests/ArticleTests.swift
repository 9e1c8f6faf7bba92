import Foundation
import Testing

/// What the articles on queries show is compiled: each of their examples is a part of `Snippets/Queries.swift`, which is built
/// with the package and runs on the demo store.
@Suite struct ArticleTests {
    @Test(arguments: ["Queries", "HowPlansAreChosen", "ReadingAnExplanation", "Paging", "LiveResults"])
    func `Every example of an article is in the snippet`(article: String) throws {
        func lines(_ text: some StringProtocol) -> [String] {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
        let snippet = lines(try ArchitectureTests.text("Snippets/Queries.swift"))
        let text = try ArchitectureTests.text("Sources/DocIndex/DocIndex.docc/\(article).md")
        let examples = text.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(!examples.isEmpty)
        for example in examples {
            var example = lines(example)
            // Where the snippet leaves the loop, the example goes on.
            if article == "LiveResults", example.last == "}" { example.removeLast() }
            let isThere = snippet.indices.contains { snippet[$0...].starts(with: example) }
            #expect(isThere, "\(article) shows what no snippet has: \(example.joined(separator: "; "))")
        }
    }
}
