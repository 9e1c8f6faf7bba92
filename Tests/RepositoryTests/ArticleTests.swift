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
                "DocIndex/DocIndex.docc/DocIndex", "DocIndex/DocIndex.docc/TextSearch",
                "DocIndex/DocIndex.docc/Queries", "DocIndex/DocIndex.docc/HowPlansAreChosen",
                "DocIndex/DocIndex.docc/ReadingAnExplanation", "DocIndex/DocIndex.docc/Paging",
                "DocIndex/DocIndex.docc/LiveResults", "DocIndex/DocIndex.docc/SearchingByVectors",
            ]
        ),
        (
            "SyncArticles",
            [
                "DocIndex/DocIndex.docc/SharingAnAlbum", "DocIndex/DocIndex.docc/LookingIntoAStore",
                "DocSync/DocSync.docc/DocSync", "StorePackages/StorePackages.docc/StorePackages",
                "Inspector/Inspector.docc/Inspector",
            ]
        ),
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

    @Test func `Every article with an example belongs to a snippet`() throws {
        let known = Set(Self.articles.flatMap(\.articles))
        let sources = ArchitectureTests.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        let articles = files.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }
        #expect(articles.count > 25)
        for article in articles where !known.contains(article) {
            #expect(Self.examples(try ArchitectureTests.text("Sources/\(article).md")).isEmpty, "\(article)")
        }
    }

    @Test(arguments: articles)
    func `Every example in an article is part of the compiled snippet`(snippet: String, articles: [String]) throws {
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

    @Test(arguments: articles.map(\.snippet))
    func `The examples in the articles run successfully`(snippet: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: snippet)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
