import DocIndex
import LevelKit
import TestSupport
import Testing

/// What remains of a store whose log was truncated during a schema change or a migration.
@Suite struct LogTruncationTests {
    private static let first = schema(
        photos: [
            .value("year", on: "year", counts: true), .value("checksum", on: "checksum", unique: true),
            .text("text", on: "caption"),
        ], albums: [])
    private static let second = schema(
        photos: [
            .value("year", on: "year", "rating", counts: true), .value("checksum", on: "checksum", unique: true),
            .text("text", on: "caption", "title"), .value("tags", on: "tags[]", counts: true),
        ], albums: [.value("title", on: "title")])

    private static func schema(photos: [IndexDefinition], albums: [IndexDefinition]) -> Schema {
        Schema(collections: [
            CollectionDefinition("photos", indexes: photos), CollectionDefinition("albums", indexes: albums),
        ])
    }

    private static let migration = Migration(
        "stars become rating", of: "photos", drops: ["stars"]
    ) { photo in
        var photo = photo
        guard let stars = photo.removeValue(forName: "stars") else { return photo }
        photo["rating"] = stars
        return photo
    }

    private typealias Content = [String: [DocumentID: DocumentObject]]

    private static func content(of store: DocumentStore) throws -> Content {
        var content = Content()
        for collection in store.collections {
            try collection.forEach { content[collection.name, default: [:]][$0.id] = $0.content }
        }
        return content
    }

    /// A closed store with its history.
    private struct History {
        /// The content of the store after each commit, by sequence number.
        var contents: [UInt64: Content] = [:]
        /// The size of the log in bytes after each acknowledged commit, and its sequence number.
        var acknowledged: [(logByteCount: Int, sequence: UInt64)] = []

        private var content = Content()

        /// Records the changes of the commits since the last call.
        mutating func note(_ store: DocumentStore, at path: String) throws {
            let last = acknowledged.last?.sequence ?? 0
            for change in try store.changes(since: last) {
                content[change.collection, default: [:]][change.id] =
                    try store.collection(change.collection).document(change.id)?.content
            }
            let sequence = try store.sequence()
            contents[sequence] = content
            let log = try TestFiles.names(in: path).first { $0.hasSuffix(".log") } ?? ""
            acknowledged.append((try TestFiles.byteCount(of: path + "/" + log), sequence))
        }
    }

    private static let words = ["fog", "rain", "sea"]

    /// How much the store of a history contains.
    enum Size: CaseIterable {
        /// A log short enough to be truncated at every byte.
        case small
        /// More documents than a slice of a build or a migration contains.
        case large

        fileprivate var documentsPerFirstCommit: Int { self == .small ? 1 : 40 }
    }

    private static func write(_ size: Size, to path: String) throws -> History {
        var history = History()
        var random = TestRun.random(stream: 63)
        let store = try DocumentStore.open(at: path, schema: first)
        try history.note(store, at: path)
        for number in 0..<200 {
            try commit(number, size, to: store, &random)
            try history.note(store, at: path)
            switch number {
            case 80:
                // Commits between the slices of a build.
                var extra = 1000
                try store.apply(second) { _ in
                    for _ in 0..<3 {
                        extra += 1
                        try commit(extra, size, to: store, &random)
                        try history.note(store, at: path)
                    }
                }
            case 140:
                try store.migrate([migration]) { _ in try history.note(store, at: path) }
            default: break
            }
        }
        #expect(try history.contents[store.sequence()] == content(of: store))
        try store.close()
        return history
    }

    private static func commit(
        _ number: Int, _ size: Size, to store: DocumentStore, _ random: inout SplitMix64
    ) throws {
        let first = size.documentsPerFirstCommit
        try store.write { transaction in
            if number % 3 == 0 {
                try transaction.put(
                    ["id": .int(Int64(number)), "title": .string(random.pick(words))], in: "albums")
            }
            for position in 0..<(number < 8 ? first : 1 + random.number(below: 2)) {
                let id = Int64(number < 8 ? number * first + position : random.number(below: 10 * first))
                if random.once(in: 8) {
                    try transaction.delete(.int(id), in: "photos")
                } else {
                    try transaction.put(photo(id, number, &random), in: "photos")
                }
            }
            // Never the same content twice, so that each commit changes the store.
            try transaction.put(["id": "last", "commit": .int(Int64(number))], in: "albums")
        }
    }

    private static func photo(_ id: Int64, _ number: Int, _ random: inout SplitMix64) -> DocumentObject {
        [
            "id": .int(id), "checksum": .string("\(id)/\(number)"), "year": .int(Int64(1900 + random.number(below: 5))),
            "stars": .int(Int64(random.number(below: 6))), "tags": [.string(random.pick(words)), "all"],
            "caption": .string(random.pick(words) + " " + random.pick(words)), "title": .string(random.pick(words)),
        ]
    }

    @Test(arguments: Size.allCases)
    func `A log truncated anywhere leaves a prefix of the commits, and unfinished work resumes`(size: Size) throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/whole"
            let history = try Self.write(size, to: path)
            let logs = try TestFiles.names(in: path).filter { $0.hasSuffix(".log") }
            try #require(logs.count == 1)
            let log = try TestFiles.bytes(of: path + "/" + logs[0])
            try #require(log.count == history.acknowledged.last?.logByteCount)
            var (building, migrating) = (0, 0)
            var previous: [[UInt8]] = []
            var sequence: UInt64 = 0
            let lengths = Self.lengths(size, history, whole: log.count)
            for length in lengths {
                let cut = directory + "/cut"
                try TestFiles.copy(path, to: cut)
                try TestFiles.write(log[..<length], to: cut + "/" + logs[0])
                let database = try Database.open(at: cut)
                let pairs = try allPairs(in: database).flatMap { [$0.key, $0.value] }
                // Identical content was checked before: most cuts differ in nothing.
                if pairs != previous || length == 0 {
                    let found = try Self.check(database, history, length: length)
                    if found.isBuilding { building += 1 }
                    if found.isMigrating { migrating += 1 }
                    (previous, sequence) = (pairs, found.sequence)
                }
                // Acknowledged commits are present.
                let least = history.acknowledged.last { $0.logByteCount <= length }?.sequence ?? 0
                #expect(sequence >= least, "cut at \(length): commit \(sequence) and not \(least)")
                try database.close()
                try TestFiles.remove(cut)
            }
            print("a log of \(log.count) bytes was cut off at \(lengths.count) places")
            if size == .large {
                #expect(building > 0 && migrating > 0, "no cut fell into the build or the migration")
            }
        }
    }

    /// Returns the cut positions, at even distances. In the long form, the small log is truncated at every byte, and
    /// the large one, where this would take hours, also around the end of each commit and of each block of LevelDB's
    /// log.
    private static func lengths(_ size: Size, _ history: History, whole: Int) -> [Int] {
        if TestRun.isLong, size == .small { return Array(0...whole) }
        if !TestRun.isLong { return Array(stride(from: 0, to: whole, by: whole / 50 | 1)) + [whole] }
        var lengths = Set(stride(from: 0, to: whole, by: 23))
        for end in history.acknowledged.map(\.logByteCount) + stride(from: 0, to: whole, by: 1 << 15) {
            lengths.formUnion(end - 9...end + 9)
        }
        return lengths.filter { $0 >= 0 && $0 <= whole }.sorted()
    }

    /// Checks everything in the store, and finishes what was started.
    private static func check(
        _ database: Database, _ history: History, length: Int
    ) throws -> (sequence: UInt64, isBuilding: Bool, isMigrating: Bool) {
        let store: DocumentStore
        do {
            store = try DocumentStore.open(on: database, finishesSchemaChange: false)
        } catch let error as DocIndexError where error.code == .notADocumentStore {
            // Even the catalog is cut off.
            #expect((history.acknowledged.first?.logByteCount ?? 0) > length, "cut at \(length)")
            return (0, false, false)
        }
        try expectSound(store)
        let sequence = try store.sequence()
        if let content = history.contents[sequence] {
            #expect(try Self.content(of: store) == content, "cut at \(length)")
        } else {
            Issue.record("cut at \(length): there is no commit \(sequence)")
        }
        var isBuilding = false
        try store.finishSchemaChange { _ in isBuilding = true }
        try expectSound(store)
        #expect(try Self.content(of: store) == history.contents[sequence], "cut at \(length)")
        let isMigrating = try isInMigration(store)
        // Photos stored after the migration have the old form again.
        if try !store.migrate([migration]).names.isEmpty {
            #expect(try store.collection("photos").find("stars exists").isEmpty, "cut at \(length)")
        }
        try expectSound(store)
        try store.close()
        return (sequence, isBuilding, isMigrating)
    }

    /// Returns whether the migration was started and not finished; no other one is accepted then.
    private static func isInMigration(_ store: DocumentStore) throws -> Bool {
        do {
            try store.migrate([])
            return false
        } catch let error as DocIndexError {
            return error.code == .migrationFailed
        }
    }
}
