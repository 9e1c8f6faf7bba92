public import DocIndex
internal import Foundation
internal import LevelKit

/// A sequence of steps that store, change, delete, copy and collect attachments. Each is determined by its number
/// alone.
///
/// Every step changes a document: a marker document holds the number of the last step, in the same commit. What a step
/// does besides leaves the documents as they are.
public enum AttachmentHistory {
    /// The number of documents that hold attachments.
    public static let documentCount = 6

    /// The schema.
    public static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("type", on: "original.type", counts: true)]),
        CollectionDefinition("steps"),
    ])

    /// The content with a number. Some are stored in the database, others in files.
    public static func content(_ number: Int) -> [UInt8] {
        var random = SplitMix64(seed: UInt64(number))
        return (0..<[10, 40_000, 1000, 70_000, 32_768][number % 5]).map { _ in
            UInt8(truncatingIfNeeded: random.next())
        }
    }

    /// Performs a step.
    ///
    /// - Throws: What the store throws. The step may then be repeated.
    public static func perform(_ number: Int, on store: DocumentStore) throws {
        let id = "p\(number % documentCount)"
        var photo: DocumentObject?
        if number % 7 != 5 {
            // The second one is shared by many documents, and never without a reference for long.
            let (own, shared) = try added(number, to: store)
            photo = [
                "id": .string(id), "step": .int(Int64(number)), "original": .attachment(own),
                "more": .array([.object(["shared": .attachment(shared)])]),
            ]
        }
        switch number % 9 {
        case 4: try store.attachments.collectGarbage(olderThan: .zero)
        case 8:
            let path = store.path + "/../copy"
            // An earlier call that failed may have left it.
            try? FileManager.default.removeItem(atPath: path)
            try store.checkpoint(to: path)
            try? FileManager.default.removeItem(atPath: path)
        default: break
        }
        // A collection may have deleted what was added before it.
        if number % 9 == 4, let again = photo { photo = try addedAgain(again, number, to: store) }
        try store.write(durability: number % 4 == 0 ? .synced : .buffered) { transaction in
            if let photo {
                try transaction.put(photo, in: "photos")
            } else {
                try transaction.delete(.string(id), in: "photos")
            }
            try transaction.put(["id": "last", "step": .int(Int64(number))], in: "steps")
        }
    }

    /// Adds the contents of a step, every other time together.
    private static func added(_ number: Int, to store: DocumentStore) throws -> (own: Attachment, shared: Attachment) {
        let (own, shared) = (content(number), content(1000 + number % 2))
        if number % 4 < 2 {
            return (
                try store.attachments.add(own, type: "image/jpeg", name: "\(number).jpg"),
                try store.attachments.add(shared)
            )
        }
        var contents = [
            try NewContent(for: store, type: "image/jpeg", name: "\(number).jpg", byteCount: 0),
            try NewContent(for: store, type: Attachment.unknownType, name: nil, byteCount: 0),
        ]
        try contents[0].append(own)
        try contents[1].append(shared)
        let added = try store.attachments.add(contents)
        return (added[0], added[1])
    }

    private static func addedAgain(
        _ photo: DocumentObject, _ number: Int, to store: DocumentStore
    ) throws -> DocumentObject {
        _ = try store.attachments.add(content(number))
        _ = try store.attachments.add(content(1000 + number % 2))
        return photo
    }

    /// Returns the number of completed steps.
    public static func stepCount(in store: DocumentStore) throws -> Int {
        Int(try store.collection("steps").document("last")?["step"]?.intValue ?? 0)
    }

    /// Returns what is wrong with the documents and their attachments; an empty array if nothing is.
    public static func problems(of store: DocumentStore) throws -> [String] {
        let last = try stepCount(in: store)
        var problems: [String] = []
        for index in 0..<documentCount {
            let id = "p\(index)"
            let document = try store.collection("photos").document(.string(id))
            // The last step with this document.
            let step = last - (last - index % documentCount + documentCount) % documentCount
            let isPresent = step > 0 && step % 7 != 5
            guard isPresent else {
                if document != nil { problems.append("\(id) should not exist after step \(last)") }
                continue
            }
            guard let document, document["step"]?.intValue == Int64(step),
                case .attachment(let own)? = document["original"],
                case .attachment(let shared)? = document["more"]?.arrayValue?.first?["shared"]
            else {
                problems.append("\(id) is not as step \(step) stored it")
                continue
            }
            for (attachment, expected) in [(own, content(step)), (shared, content(1000 + step % 2))] {
                do {
                    if try store.attachments.bytes(of: attachment) != expected {
                        problems.append("\(id): the content of \(attachment.digest) is another one")
                    }
                } catch {
                    problems.append("\(id): \(error)")
                }
            }
        }
        return problems
    }

    /// Collects garbage, and returns what is wrong with the files afterwards.
    public static func leftovers(in store: DocumentStore) throws -> [String] {
        try store.attachments.collectGarbage(olderThan: .zero)
        var wanted: Set<String> = []
        var referenced = 0
        for info in try store.attachments.list() {
            if info.isFile { wanted.insert(info.digest.description) }
            if info.referenceCount > 0 { referenced += 1 }
        }
        var problems: [String] = []
        if try store.attachments.census().count != referenced { problems.append("an unreferenced attachment is left") }
        let root = store.path + "/attachments"
        for shard in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] where shard != "lock" {
            for name in try FileManager.default.contentsOfDirectory(atPath: root + "/" + shard) {
                if wanted.remove(name) == nil { problems.append("the file \(shard)/\(name) is left") }
            }
        }
        for name in wanted { problems.append("the file \(name) is missing") }
        return problems
    }
}
