public import DocIndex

/// Documents with attachments for tests.
public enum AttachedPhotos {
    /// A collection with an index and a history.
    public static let schema = Schema(collections: [
        CollectionDefinition("photos", indexes: [.value("rating", on: "rating")]),
        CollectionDefinition("kept", history: CollectionDefinition.History(versions: 10)),
    ])

    /// Returns bytes that look random, the same for the same seed.
    public static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count {
            let word = random.next()
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return Array(bytes.prefix(count))
    }

    /// The size of the content that is stored in the database.
    public static let smallByteCount = 1000
    /// The size of the content that is stored in a file.
    public static let largeByteCount = DocumentStore.Attachments.inlineByteCount + 1000

    /// Adds the small content with a number.
    public static func addSmall(_ number: Int, to store: DocumentStore) throws -> Attachment {
        try store.attachments.add(
            bytes(smallByteCount, seed: UInt64(2 * number)), type: "image/jpeg", name: "thumbnail \(number).jpg")
    }

    /// Adds the large content with a number.
    public static func addLarge(_ number: Int, to store: DocumentStore) throws -> Attachment {
        try store.attachments.add(
            bytes(largeByteCount, seed: UInt64(2 * number + 1)), type: "image/jpeg", name: "original \(number).jpg")
    }

    /// Stores documents with a small and a large attachment each.
    ///
    /// - Returns: the attachments, two for each document.
    @discardableResult
    public static func fill(_ store: DocumentStore, count: Int) throws -> [Attachment] {
        var attachments: [Attachment] = []
        for number in 0..<count { attachments += [try addSmall(number, to: store), try addLarge(number, to: store)] }
        try store.write { transaction in
            for number in 0..<count {
                try transaction.put(
                    [
                        "id": .int(Int64(number)), "rating": .int(Int64(number % 6)),
                        "thumbnail": .attachment(attachments[2 * number]),
                        "original": .attachment(attachments[2 * number + 1]),
                    ], in: "photos")
            }
        }
        return attachments
    }

    /// Returns the path of the file of an attachment.
    public static func file(of attachment: Attachment, in store: DocumentStore) -> String {
        let name = attachment.digest.description
        return "\(store.path)/attachments/\(name.prefix(2))/\(name)"
    }
}
