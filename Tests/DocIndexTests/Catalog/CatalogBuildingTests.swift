import TestSupport
import Testing

@testable import DocIndex

@Suite struct CatalogBuildingTests {
    /// Returns a schema with one collection that has up to three indexes, each on one of three paths.
    private static func schema(version: Int, _ random: inout SplitMix64) -> Schema {
        let indexes = ["a", "b", "c"].filter { _ in random.next() % 4 > 0 }.map { name in
            IndexDefinition.value(name, on: IndexDefinition.Component(FieldPath(names: "p\(random.next() % 3)")))
        }
        return Schema(version: version, collections: [CollectionDefinition("photos", indexes: indexes)])
    }

    /// The numbers of all indexes of a catalog.
    private static func numbers(_ catalog: Catalog) -> [UInt32] {
        catalog.collections[0].indexes.map(\.number) + catalog.dropped.map(\.number)
    }

    @Test func `In any sequence of changes, one index of each name answers, and no number is used twice`() throws {
        var random = SplitMix64(seed: 20)
        var catalog = try Catalog().changed(to: Self.schema(version: 1, &random))
        var used = Set(Self.numbers(catalog))
        var transitionCount = 0
        for _ in 0..<2000 {
            let before = catalog
            let building = catalog.collections[0].indexes.filter(\.isBuilding).map(\.number)
            switch random.next() % 4 {
            case 0: catalog = try catalog.changed(to: Self.schema(version: 1, &random))
            case 1: catalog.finishBuilding(Set(building.filter { _ in random.next() % 2 == 0 }), in: 1)
            case 2:
                if let number = building.first { try catalog.abandonBuilding(number, in: 1, reason: "too many") }
            default:
                if !catalog.dropped.isEmpty { catalog.dropped.removeFirst() }
            }
            if catalog != before { transitionCount += 1 }
            let indexes = catalog.collections[0].indexes
            let ready = indexes.filter(\.isReady).map(\.definition.name)
            #expect(Set(ready).count == ready.count, "\(ready)")
            let numbers = Self.numbers(catalog)
            #expect(Set(numbers).count == numbers.count)
            let new = Set(numbers).subtracting(Self.numbers(before))
            #expect(new.isDisjoint(with: used), "a number is used again")
            used.formUnion(new)
            // Nothing disappears without being scheduled for deletion.
            let gone = Set(before.collections[0].indexes.map(\.number)).subtracting(indexes.map(\.number))
            #expect(gone.isSubset(of: catalog.dropped.map(\.number)))
        }
        #expect(transitionCount > 500)
    }

    @Test func `When all indexes are built, no index is retiring, and the schema is the declared one`() throws {
        var random = SplitMix64(seed: 21)
        var catalog = try Catalog().changed(to: Self.schema(version: 1, &random))
        for version in 1...300 {
            let schema = Self.schema(version: version, &random)
            catalog = try catalog.changed(to: schema)
            catalog.finishBuilding(Set(catalog.collections[0].indexes.map(\.number)), in: 1)
            let indexes = catalog.collections[0].indexes
            #expect(indexes.allSatisfy { $0.isReady && !$0.isRetiring })
            #expect(catalog.schema == schema)
            catalog.dropped = []
            #expect(!catalog.hasPendingWork)
        }
    }

    @Test func `A failed index has a new number, no entries, and answers nothing`() throws {
        var random = SplitMix64(seed: 22)
        var catalog = try Catalog().changed(to: Self.schema(version: 1, &random))
        let added = IndexDefinition.value("d", on: "p9")
        var schema = catalog.schema
        schema.collections[0].indexes.append(added)
        catalog = try catalog.changed(to: schema)
        let number = try #require(catalog.collections[0].indexes.first(where: \.isBuilding)?.number)
        try catalog.abandonBuilding(number, in: 1, reason: "too many entries")
        let entry = try #require(catalog.collections[0].indexes.first { $0.definition.name == "d" })
        #expect(entry.number > number)
        #expect(entry.failure == "too many entries" && !entry.isReady && !entry.isBuilding)
        #expect(catalog.dropped.map(\.number) == [number])
        #expect(ReadableIndexes(catalog.collections[0].indexes).index(named: "d") == nil)
    }
}
