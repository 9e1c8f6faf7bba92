import Foundation
import Testing

/// The examples in the articles compile and run.
@Suite struct ArticleTests {
    /// The articles of a module, and the snippet that contains their examples.
    static let articles: [(snippet: String, articles: [String])] = [
        (
            "KeyValueArticles",
            [
                "LevelKit/LevelKit.docc/LevelKit", "LevelKit/LevelKit.docc/OpeningADatabase",
                "LevelKit/LevelKit.docc/Reading", "LevelKit/LevelKit.docc/Writing", "LevelKit/LevelKit.docc/KeyDesign",
                "LevelKit/LevelKit.docc/Keyspaces", "LevelKit/LevelKit.docc/Paging",
                "LevelKit/LevelKit.docc/Concurrency", "LevelKit/LevelKit.docc/Checkpoints",
            ]
        ),
        (
            "DocumentArticles",
            [
                "DocIndex/DocIndex.docc/Documents", "DocIndex/DocIndex.docc/Attachments",
                "DocIndex/DocIndex.docc/Transactions",
                "DocIndex/DocIndex.docc/Migrations", "DocIndex/DocIndex.docc/Changes",
                "DocIndex/DocIndex.docc/History", "DocIndex/DocIndex.docc/Conflicts",
            ]
        ),
        (
            "QueryArticles",
            [
                "DocIndex/DocIndex.docc/Queries", "DocIndex/DocIndex.docc/HowPlansAreChosen",
                "DocIndex/DocIndex.docc/ReadingAnExplanation", "DocIndex/DocIndex.docc/Paging",
                "DocIndex/DocIndex.docc/LiveResults",
            ]
        ),
        ("SyncArticles", ["DocIndex/DocIndex.docc/SharingAnAlbum", "DocIndex/DocIndex.docc/LookingIntoAStore"]),
        ("TypedArticles", ["DocIndex/DocIndex.docc/FromCoreDataOrGRDB", "DocIndex/DocIndex.docc/Concurrency"]),
    ]

    /// Returns the lines of a string, trimmed and without empty ones.
    static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Returns the Swift examples of an article.
    static func examples(_ article: String) -> [String] {
        article.matches(of: /```swift\n(?<code>(?s:.*?))```/).map { String($0.output.code) }
    }

    @Test("Every example in an article is part of the compiled snippet", arguments: articles)
    func articleShowsTheSnippet(snippet: String, articles: [String]) throws {
        let code = Self.lines(try ArchitectureTests.text("Snippets/\(snippet).swift"))
        for article in articles {
            let examples = Self.examples(try ArchitectureTests.text("Sources/\(article).md"))
            #expect(!examples.isEmpty, "\(article)")
            for example in examples.map(Self.lines) {
                let isThere = code.indices.contains { code[$0...].starts(with: example) }
                #expect(isThere, "\(article) shows what \(snippet) does not have: \(example)")
            }
        }
    }

    @Test("The examples in the articles run successfully", arguments: articles.map(\.snippet))
    func snippetRuns(snippet: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: snippet)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
