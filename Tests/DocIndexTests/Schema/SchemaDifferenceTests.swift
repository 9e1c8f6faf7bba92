import DocIndex
import TestSupport
import Testing

/// What a dry run reports about a schema change.
@Suite struct SchemaDifferenceTests {
    @Test func `A schema difference names what is added, removed and redefined`() {
        let old = Schema(
            version: 1,
            collections: [
                CollectionDefinition("gone"),
                CollectionDefinition(
                    "photos",
                    indexes: [.value("year", on: "year"), .value("name", on: "name"), .text("text", on: "title")]),
                CollectionDefinition("albums", id: "name"),
            ])
        let new = Schema(
            version: 2,
            collections: [
                CollectionDefinition(
                    "photos",
                    indexes: [
                        .value("name", on: "name"),
                        .value("year", on: .field("year", order: .descending), unique: true),
                        .geo("place", on: "gps"),
                    ]),
                CollectionDefinition("albums", id: "id"), CollectionDefinition("new", indexes: [.value("x", on: "x")]),
            ])
        let changes = new.difference(from: old)
        #expect(
            changes.map(\.description) == [
                "changed schema: version 1 → 2",
                #"changed index year of photos: fields ["year"] → [{"path":"year","order":"desc"}]; "#
                    + "unique absent → true; it is rebuilt",
                #"added index place of photos: {"type":"geo","fields":["gps"]}"#,
                "removed index text of photos: its entries are deleted",
                "changed collection albums: id name → id; a store rejects this; dump it and load it into a new store",
                "added collection new", #"added index x of new: {"type":"value","fields":["x"]}"#,
                "removed collection gone: a store never drops a collection and rejects this; declare the collection",
            ])
        #expect(changes[1].kind == .changed)
        #expect(changes[1].subject == .index("year", collection: "photos"))
    }

    @Test func `A schema does not differ from itself, whatever the order of its indexes`() {
        var random = TestRun.random(stream: 51)
        var queries = RandomQueries(TestRun.random(stream: 52))
        for _ in 0..<100 {
            let indexes = queries.indexes()
            let a = Schema(collections: [CollectionDefinition("c", indexes: indexes)])
            let b = Schema(collections: [CollectionDefinition("c", indexes: indexes.shuffled(using: &random))])
            #expect(a.difference(from: a).isEmpty)
            #expect(b.difference(from: a).isEmpty)
            #expect(!a.difference(from: Schema(collections: [])).isEmpty)
        }
    }
}
