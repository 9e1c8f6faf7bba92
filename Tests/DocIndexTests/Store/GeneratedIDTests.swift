import Dispatch
import DocIndex
import Foundation
import Synchronization
import TestSupport
import Testing

/// IDs that the store generates for documents without one.
@Suite struct GeneratedIDTests {
    private static func text(_ id: DocumentID) throws -> String {
        guard case .string(let text) = id else {
            Issue.record("\(id) is no text")
            throw CancellationError()
        }
        return text
    }

    @Test func `An id is a UUID of version 7 in lower case that begins with the milliseconds of now`() throws {
        let before = UInt64(Date().timeIntervalSince1970 * 1000)
        let text = try Self.text(.generated())
        let after = UInt64(Date().timeIntervalSince1970 * 1000)
        #expect(text.count == 36)
        let uuid = try #require(UUID(uuidString: text))
        #expect(uuid.uuidString.lowercased() == text)
        #expect(DocumentID(uuid) == .string(text))
        let bytes = [
            uuid.uuid.0, uuid.uuid.1, uuid.uuid.2, uuid.uuid.3, uuid.uuid.4, uuid.uuid.5, uuid.uuid.6, uuid.uuid.7,
            uuid.uuid.8,
        ]
        #expect(bytes[6] >> 4 == 7)
        #expect(bytes[8] >> 6 == 0b10)
        let milliseconds = bytes[..<6].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // The time may be ahead by one millisecond for every 4,096 IDs of this process.
        #expect(milliseconds >= before && milliseconds <= after + 1000)
    }

    @Test func `Ids made one after the other rise, also many within one millisecond`() {
        // More than the 4,096 that the counter of a millisecond allows, in fewer milliseconds than that takes.
        let ids = (0..<20_000).map { _ in DocumentID.generated() }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `Ids of many threads all differ, and rise in each of them`() {
        let made = Mutex<[[DocumentID]]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let ids = (0..<2000).map { _ in DocumentID.generated() }
            made.withLock { $0.append(ids) }
        }
        let all = made.withLock { $0 }
        #expect(Set(all.flatMap { $0 }).count == 16_000)
        for ids in all { #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 }) }
    }

    static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("v", on: "v")]),
        CollectionDefinition("files", id: "path"),
    ])

    @Test func `A document without an id gets a new one as its first member, and the rest stays in order`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            for (name, field) in [("photos", "id"), ("files", "path")] {
                let collection = try store.collection(name)
                let content: DocumentObject = ["v": 1, "ID": "x", "a": nil]
                for id in [try collection.put(content), try collection.insert(content)] {
                    let stored = try #require(try collection.document(id))
                    #expect(stored.id == id)
                    #expect(stored.content.map(\.name) == [field, "v", "ID", "a"])
                    #expect(stored[FieldPath(stringLiteral: field)] == id.value)
                }
                #expect(try collection.count() == 2)
            }
        }
    }

    @Test func `Documents without ids are in the order in which they were put`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            let ids = try store.write { transaction in
                try (0..<300).map { try transaction.put(["v": .int($0)], in: "photos") }
            }
            #expect(try photos.find(Query()).map(\.id) == ids)
            #expect(try photos.find(Query()).map { $0["v"] } == (0..<300).map { .int($0) })
        }
    }

    @Test func `No id is made where a document must be there`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let photos = try store.collection("photos")
            expectFailure(.invalidID, containing: "no member id", "photos") { try photos.replace(["v": 1]) }
            expectFailure(.documentMissing) { try photos.put(["v": 1], if: .present) }
            expectFailure(.documentMissing) { try photos.put(["v": 1], if: .sequence(1)) }
            #expect(try photos.count() == 0)
        }
    }

    @Test func `A document of a type whose id is a UUID is found under that UUID`() throws {
        struct Photo: Codable {
            var id: UUID
            var album: UUID
        }
        try withTemporaryStore(schema: Schema(collections: [CollectionDefinition("photos")])) { store in
            let photos = try store.collection("photos")
            let photo = Photo(id: UUID(), album: UUID())
            try photos.save(photo)
            try photos.save(photo)
            #expect(try photos.count() == 1)
            #expect(try photos.value(DocumentID(photo.id), as: Photo.self)?.album == photo.album)
            #expect(try photos.document(DocumentID(photo.id))?["album"] == DocumentID(photo.album).value)
        }
    }
}
