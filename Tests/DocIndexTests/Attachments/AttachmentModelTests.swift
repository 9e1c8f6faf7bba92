import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Random histories of documents with attachments beside a model.
@Suite struct AttachmentModelTests {
    @Test func `No referenced content is ever gone, and no unreferenced content survives its collection`() throws {
        var collectedCount = 0
        for round in 0..<TestRun.rounds(40, long: 10_000) {
            var random = TestRun.random(stream: 165 + UInt64(round) << 16)
            try withTemporaryDirectory { directory in
                var history = try RandomHistory(
                    directory: directory, description: "round \(round); \(TestRun.repetition)")
                for _ in 0..<30 { try history.step(&random) }
                try history.end()
                collectedCount += history.collectedCount
            }
        }
        print("\(collectedCount) attachments collected")
        #expect(collectedCount > 0)
    }
}

/// A store and what it should contain.
private struct RandomHistory {
    /// A state that a snapshot keeps.
    private struct Held {
        let snapshot: StoreSnapshot
        let references: Set<Int>
        let documents: [String: DocumentObject]
    }

    private let path: String
    private let description: String
    private var store: DocumentStore
    /// The documents of both collections, by `collection/id`.
    private var documents: [String: DocumentObject] = [:]
    /// The attachments that former versions of documents refer to.
    private var former: Set<Int> = []
    private var held: [Held] = []
    /// When each stored attachment lost its last reference, or was added.
    private var released: [Int: Int] = [:]
    private var stored: Set<Int> = []
    private var now = 1000
    private(set) var collectedCount = 0

    private static let contents: [[UInt8]] = (0..<10).map { number in
        AttachmentStoreTests.content(UInt64(number), byteCount: number % 3 == 2 ? 33_000 + number : number * 10)
    }
    // Testing has a type of the same name.
    private static let attachments: [DocIndex.Attachment] = contents.map { bytes in
        var hash = SHA256Hash()
        unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
        let digest = DocIndex.Attachment.Digest(hash.digest.span)
        return digest.flatMap { DocIndex.Attachment(digest: $0, byteCount: Int64(bytes.count), type: "a/b") }!
    }
    private static let grace = 50

    init(directory: String, description: String) throws {
        path = directory + "/s"
        self.description = description
        store = try DocumentStore.open(at: path, schema: AttachmentStoreTests.schema)
    }

    private var references: Set<Int> { Set(documents.values.flatMap(Self.references)) }

    private static func references(in document: DocumentObject) -> [Int] {
        var numbers: [Int] = []
        document.forEachAttachment { attachment in
            if let number = attachments.firstIndex(of: attachment) { numbers.append(number) }
        }
        return numbers
    }

    mutating func step(_ random: inout SplitMix64) throws {
        now += random.number(below: 40)
        let before = references
        let now = now
        try AttachmentStoreTests.at(now) { try perform(&random) }
        for number in before.subtracting(references) { released[number] = now }
    }

    private mutating func perform(_ random: inout SplitMix64) throws {
        switch random.number(below: 20) {
        case 0..<4: try add(random.number(below: Self.contents.count))
        case 4..<10: try put(&random)
        case 10..<12: try delete(&random)
        case 12: try undo()
        case 13:
            held.append(
                Held(snapshot: try store.snapshot(), references: references, documents: documents))
        case 14: if !held.isEmpty { held.remove(at: random.number(below: held.count)) }
        case 15: try checkpoint()
        case 16: try migrate(&random)
        case 17: try reopen()
        default: try collect()
        }
        for state in held { try check(state.references, in: state.snapshot.attachments) }
        try check(references.union(former), in: store.attachments)
    }

    private mutating func add(_ number: Int) throws {
        let added = try store.attachments.add(Self.contents[number], type: "a/b")
        #expect(added == Self.attachments[number])
        stored.insert(number)
        if !references.contains(number) { released[number] = now }
    }

    private mutating func put(_ random: inout SplitMix64) throws {
        let collection = random.number(below: 2) == 0 ? "photos" : "kept"
        let id = "\(random.number(below: 4))"
        var document: DocumentObject = ["id": .string(id), "n": .int(Int64(now))]
        let numbers = (0..<random.number(below: 4)).map { _ in random.number(below: Self.contents.count) }
        let values = numbers.map { DocumentValue.attachment(Self.attachments[$0]) }
        if let first = values.first { document["original"] = first }
        document["more"] = .array(values.dropFirst().map { DocumentValue.object(["deep": $0]) })
        guard numbers.allSatisfy(stored.contains) else {
            expectFailure(.attachmentMissing) { try store.collection(collection).put(document) }
            return
        }
        try store.collection(collection).put(document)
        if collection == "kept", let old = documents["kept/\(id)"] { former.formUnion(Self.references(in: old)) }
        documents["\(collection)/\(id)"] = document
    }

    private mutating func delete(_ random: inout SplitMix64) throws {
        guard let key = documents.keys.sorted().dropFirst(random.number(below: max(1, documents.count))).first else {
            return
        }
        let parts = key.split(separator: "/").map(String.init)
        try store.collection(parts[0]).delete(.string(parts[1]))
        if let old = documents.removeValue(forKey: key), parts[0] == "kept" {
            former.formUnion(Self.references(in: old))
        }
    }

    /// Undoes the last commit if it is in the history, and reads what it did.
    private mutating func undo() throws {
        guard (try? store.undo()) != nil else { return }
        for id in 0..<4 {
            let key = "kept/\(id)"
            let new = try store.collection("kept").document(.string("\(id)"))?.content
            if new != documents[key], let old = documents[key] { former.formUnion(Self.references(in: old)) }
            documents[key] = new
        }
    }

    private func checkpoint() throws {
        let copyPath = path + "-copy"
        try store.checkpoint(to: copyPath)
        let copy = try DocumentStore.open(at: copyPath)
        try check(references.union(former), in: copy.attachments)
        try copy.close()
        #expect(try Database.destroy(at: copyPath).isEmpty)
    }

    /// Moves the references of all photos to another member.
    private mutating func migrate(_ random: inout SplitMix64) throws {
        let name = "move at \(now)-\(random.next())"
        let migrations = store.completedMigrations.map { Migration($0, of: "photos") { $0 } }
        let transform: @Sendable (DocumentObject) -> DocumentObject = { document in
            var new = document
            if let value = new.removeValue(forName: "original") { new["moved"] = value }
            return new
        }
        do {
            try store.migrate(
                migrations + [Migration(name, of: "photos", drops: ["original"]) { transform($0) }])
        } catch let error as DocIndexError where error.code == .migrationFailed {
            // Documents that have been moved before would lose the former content of the member.
            #expect(error.message.contains("lose"), "\(error)")
            let running = Migration(name, of: "photos") { $0 }
            try store.migrate(migrations + [running])
        }
        for id in 0..<4 {
            let key = "photos/\(id)"
            let new = try store.collection("photos").document(.string("\(id)"))?.content
            #expect(
                Set(new.map(Self.references) ?? []) == Set(documents[key].map(Self.references) ?? []), "\(description)")
            documents[key] = new
        }
    }

    private mutating func reopen() throws {
        held = []
        try store.close()
        store = try DocumentStore.open(at: path)
    }

    private mutating func collect() throws {
        let garbage = try store.attachments.collectGarbage(olderThan: .seconds(Self.grace))
        let collected = garbage.digests.compactMap { digest in Self.attachments.firstIndex { $0.digest == digest } }
        collectedCount += collected.count
        let kept = references.union(former).union(held.flatMap(\.references))
        #expect(kept.isDisjoint(with: collected), "\(description)")
        for number in stored where !kept.contains(number) && held.isEmpty {
            let isDue = (released[number] ?? 0) + Self.grace <= now
            #expect(collected.contains(number) == isDue, "content \(number) at \(now), \(description)")
        }
        stored.subtract(collected)
        for number in Self.contents.indices {
            let isStored = try store.attachments.info(Self.attachments[number].digest) != nil
            #expect(isStored == stored.contains(number), "content \(number), \(description)")
        }
    }

    private func check(_ numbers: Set<Int>, in attachments: DocumentStore.Attachments) throws {
        for number in numbers {
            let bytes = try? attachments.bytes(of: Self.attachments[number])
            #expect(bytes == Self.contents[number], "content \(number), \(description)")
        }
    }

    mutating func end() throws {
        for (key, document) in documents {
            let parts = key.split(separator: "/").map(String.init)
            #expect(try store.collection(parts[0]).document(.string(parts[1]))?.content == document, "\(description)")
        }
        try expectSound(store)
        held = []
        try store.close()
    }
}
