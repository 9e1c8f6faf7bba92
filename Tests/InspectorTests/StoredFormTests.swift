import DocIndex
import DocSync
import LevelKit
import TestSupport
import Testing

@testable import Inspector

@Suite struct `How a document is stored` {
    /// The keys on a page, in the order of the table.
    private static func keys(_ page: Answer) -> [[UInt8]] {
        page.text.matches(of: /href="\/keys\?prefix=([0-9a-f]+)"/).compactMap { HexBytes.bytes(String($0.output.1)) }
    }

    @Test func `The page lists the key of the document and every entry in its indexes`() async throws {
        try await withInspectedStore { inspected in
            let snapshot = try inspected.store.snapshot()
            let photos = try inspected.store.collection("photos")
            for id in ["p0", "p1", "p59"] {
                let page = try await inspected.get("/c/photos/doc/\(id)")
                let keys = Self.keys(page)
                let document = try #require(try photos.document(.string(id)))
                // The document, its ID, its change; rating, keywords, taken, gps; its slot.
                let keywords = try #require(document.content["keywords"]?.arrayValue)
                #expect(keys.count == 3 + 1 + keywords.count + 1 + 1 + 1, "\(keys)")
                for key in keys { #expect(try snapshot.keys.value(forKey: key) != nil, "\(HexBytes.text(key))") }
                #expect(page.text.contains("entry: photos.keywords = &quot;all&quot;, row"), "\(page)")
                #expect(page.text.contains("document: photos, row") && page.text.contains("Row "))
                let linked = try await inspected.get("/keys?prefix=" + HexBytes.text(keys[0]))
                #expect(linked.status == 200 && linked.text.contains("Value, "))
            }
            // Without a shell, nothing reads the files.
            let page = try await inspected.get("/c/photos/doc/p1?versions=1")
            #expect(page.status == 200 && !page.text.contains("Versions in the files"))
            #expect(!(try await inspected.get("/c/photos/doc/p1").text.contains("still in the files")))
        }
    }

    @Test func `All entries of all documents are all entries of the indexes`() async throws {
        try await withInspectedStore { inspected in
            let snapshot = try inspected.store.snapshot()
            let photos = try inspected.store.collection("photos")
            var found: Set<[UInt8]> = []
            for document in try photos.find(Query()) {
                let storage = try #require(try photos.storage(of: document.id, entryLimit: 100))
                #expect(storage.entries.allSatisfy(\.isStored) && !storage.hasMore)
                for entry in storage.entries { #expect(found.insert(entry.key).inserted) }
            }
            var stored: Set<[UInt8]> = []
            var cursor = try snapshot.keys.cursor(in: .prefix([0x56]), cache: .bypass)
            while try cursor.advance() { stored.insert(cursor.key.copied()) }
            #expect(stored.isSubset(of: found) && found.subtracting(stored).allSatisfy { $0.first == 0x58 })
            #expect(found.subtracting(stored).count == 60)
            #expect(try photos.storage(of: "none", entryLimit: 1) == nil)
        }
    }

    @Test func `A document with many entries shows some of them and says so`() async throws {
        try await withInspectedStore(photoCount: 1) { inspected in
            let words = (0..<500).map { DocumentValue.string("word \($0)") }
            try inspected.store.collection("photos").put(["id": "many", "keywords": .array(words)])
            let page = try await inspected.get("/c/photos/doc/many")
            #expect(page.text.contains("The first 50 entries of each index") && page.bytes.count < 100_000)
        }
    }

    @Test func `Versions in the files are shown on request, with their documents`() async throws {
        let versions: @Sendable ([UInt8]) throws -> [StoredVersion] = { _ in
            [
                StoredVersion(sequence: 9, value: [0xff, 0xff], file: "000007.ldb", isCurrent: true),
                StoredVersion(sequence: 5, value: nil, file: "<b>.log", isCurrent: false),
            ]
        }
        let console = CommandConsole(commands: [], refusals: []) { _, _, _ in CommandConsole.Output() }
        try await withInspectedStore(services: ShellServices(console: console, versions: versions)) { inspected in
            let plain = try await inspected.get("/c/photos/doc/p1")
            #expect(plain.text.contains("still in the files") && !plain.text.contains("000007.ldb"))
            let page = try await inspected.get("/c/photos/doc/p1?versions=1")
            #expect(page.text.contains("unreadable, operation 9 in 000007.ldb, current"), "\(page)")
            #expect(page.text.contains("deleted, operation 5 in &lt;b&gt;.log"))
        }
    }
}
