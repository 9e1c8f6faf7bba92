internal import LevelKit

/// Every key that a store writes. `docs/FORMAT.md` lists each key with its bytes.
///
/// The first byte is the kind of key. The numbers after it are encoded as tuple integers, whose bytes sort like the
/// numbers. Numbers of collections, indexes and documents are never reused.
enum StoreKey: UInt8 {
    /// `@ key` → a copy of the catalog or of member names, under the key of the original. Copies come before all
    /// documents, so that the documents before the cut of a table file can be read.
    case copies = 0x40
    /// `M` → the catalog: format version, collections, indexes.
    case catalog = 0x4d
    /// `N collection` → the next row number, the count of documents, the count of member names.
    case counters = 0x4e
    /// `S` → the sequence number of the last commit.
    case state = 0x53
    /// `C sequence collection row` → whether a document was stored or deleted, and its ID.
    case changes = 0x43
    /// `H sequence collection row` → a change in the history: its time, and the form of the document before it.
    case history = 0x48
    /// `P index` → the last row that an index being built contains; `P name` → the last row that a migration has
    /// processed.
    case progress = 0x50
    /// `L name` → a marker: the progress of a program that stores many documents.
    case markers = 0x4c
    /// `I collection id` → the row number, or for a deleted document the position of its deletion in the feed of
    /// changes.
    case ids = 0x49
    /// `D collection row` → the sequence number of the last change, and the body of a document.
    case documents = 0x44
    /// `F collection first` → member names, numbered from `first` on.
    case names = 0x46
    /// `V index value… row` → the values that the index covers, the location of a geo index, or nothing; in a vector
    /// index, the code or the vector of a document.
    case values = 0x56
    /// `G index value…` → the count of entries with these values.
    case valueCounts = 0x47
    /// `Q key` → an unreadable record that a rebuild has set aside, under its original key.
    case setAside = 0x51
    /// `A` → the number of the next attachment in `B`; `A digest` → an attachment: the count of references in
    /// documents, its size and place; see ``AttachmentRecord``.
    case attachments = 0x41
    /// `B number` → the content of a small attachment.
    case contents = 0x42
    /// `R collection id` → the revisions of a document; see ``RevisionTree``. Under the ID and not the row, because a
    /// deleted document that is stored again gets another row and keeps its revisions.
    case revisions = 0x52
    /// `K collection id generation revision` → the record of a version that is not the document: another leaf, or the
    /// ancestor of an edit that peers do not know yet.
    case revisionBodies = 0x4b
    /// `Y collection` → the last commit that may have left the store; `Y collection name` → a record that is never
    /// replicated, such as the position of a replication.
    case replication = 0x59
    /// `X index …` → a text index; see `TextIndexKey` of the module TextIndexing, which writes this byte itself.
    case text = 0x58

    /// The key of the catalog.
    static let catalogKey: [UInt8] = [StoreKey.catalog.rawValue]

    /// Returns the key of the copy of a record.
    static func copy(of key: [UInt8]) -> [UInt8] { [StoreKey.copies.rawValue] + key }

    /// The key of the state.
    static let stateKey: [UInt8] = [StoreKey.state.rawValue]

    /// The key of the number of the next small content.
    static let nextContentKey: [UInt8] = [StoreKey.attachments.rawValue]

    /// Returns the key of an attachment's record.
    static func attachment(_ digest: Attachment.Digest) -> [UInt8] { [StoreKey.attachments.rawValue] + digest.bytes }

    /// Returns the digest in the key of an attachment's record; `nil` for another key.
    static func digest(in key: Span<UInt8>) -> Attachment.Digest? {
        guard key.count == 1 + Attachment.Digest.byteCount, key[0] == StoreKey.attachments.rawValue else { return nil }
        return Attachment.Digest(key.extracting(1..<key.count))
    }

    /// Returns the key of a small attachment.
    static func content(_ number: UInt64) -> [UInt8] {
        var key = [StoreKey.contents.rawValue]
        TupleEncoder.append(number, to: &key)
        return key
    }

    /// Returns the key of a change. Changes of one commit are ordered by collection and row.
    static func change(_ sequence: UInt64, collection: UInt32, row: UInt64) -> [UInt8] {
        var key = [StoreKey.changes.rawValue]
        appendPlace(sequence, collection, row, to: &key)
        return key
    }

    /// Returns the key of a change in the history. These keys have the same order as the keys of the feed.
    static func history(_ sequence: UInt64, collection: UInt32, row: UInt64) -> [UInt8] {
        var key = [StoreKey.history.rawValue]
        appendPlace(sequence, collection, row, to: &key)
        return key
    }

    /// Returns the prefix of the history of a commit.
    static func history(of sequence: UInt64) -> [UInt8] {
        var key = [StoreKey.history.rawValue]
        TupleEncoder.append(sequence, to: &key)
        return key
    }

    @inline(__always)
    private static func appendPlace(_ sequence: UInt64, _ collection: UInt32, _ row: UInt64, to key: inout [UInt8]) {
        TupleEncoder.append(sequence, to: &key)
        TupleEncoder.append(Int64(collection), to: &key)
        appendRow(row, to: &key)
    }

    /// Returns the range of changes of all commits after `sequence`.
    static func changes(behind sequence: UInt64) -> KeyRange {
        var lower = [StoreKey.changes.rawValue]
        TupleEncoder.append(sequence == .max ? sequence : sequence + 1, to: &lower)
        return .range(from: lower, to: [StoreKey.changes.rawValue + 1])
    }

    /// Returns the key of a migration's progress record.
    static func migrationProgress(_ name: String) -> [UInt8] {
        var key = [StoreKey.progress.rawValue]
        TupleEncoder.append(name, to: &key)
        return key
    }

    /// Returns the key of a marker.
    static func marker(_ name: String) -> [UInt8] {
        var key = [StoreKey.markers.rawValue]
        TupleEncoder.append(name, to: &key)
        return key
    }

    /// Returns the prefix of all keys of a collection or an index.
    func prefix(_ number: UInt32) -> [UInt8] {
        var key = [rawValue]
        TupleEncoder.append(Int64(number), to: &key)
        return key
    }

    /// Returns the key of a document's body.
    static func document(_ collection: UInt32, row: UInt64) -> [UInt8] {
        var key = StoreKey.documents.prefix(collection)
        appendRow(row, to: &key)
        return key
    }

    /// Returns the key of the member names that are numbered from `first` on.
    static func names(_ collection: UInt32, from first: Int) -> [UInt8] {
        var key = StoreKey.names.prefix(collection)
        TupleEncoder.append(Int64(first), to: &key)
        return key
    }

    /// Returns the key under which the row of an ID is stored.
    static func id(_ collection: UInt32, _ id: DocumentID) -> [UInt8] {
        var key = StoreKey.ids.prefix(collection)
        id.append(to: &key)
        return key
    }

    /// Returns the key of the revisions of a document.
    static func revisions(_ collection: UInt32, _ id: DocumentID) -> [UInt8] {
        var key = StoreKey.revisions.prefix(collection)
        id.append(to: &key)
        return key
    }

    /// Returns the prefix of the versions of a document.
    static func revisionBodies(_ collection: UInt32, _ id: DocumentID) -> [UInt8] {
        var key = StoreKey.revisionBodies.prefix(collection)
        id.append(to: &key)
        return key
    }

    /// Returns the range of the versions of a document. The keys of another ID can begin with the same bytes, if it
    /// continues with a zero byte.
    static func versions(_ collection: UInt32, _ id: DocumentID) -> KeyRange {
        let prefix = revisionBodies(collection, id)
        return .range(from: prefix + [0x01], to: prefix + [0xfe])
    }

    /// Returns the key of a version of a document.
    static func revisionBody(_ collection: UInt32, _ id: DocumentID, _ revision: Revision) -> [UInt8] {
        var key = revisionBodies(collection, id)
        TupleEncoder.append(Int64(revision.generation), to: &key)
        TupleEncoder.append(revision.id.description, to: &key)
        return key
    }

    /// Returns the revision between `offset` and the end of the key; `nil` if there is none.
    static func revision(in key: Span<UInt8>, behind offset: Int) -> Revision? {
        guard offset < key.count else { return nil }
        var decoder = TupleDecoder(key.extracting(offset..<key.count))
        guard let generation = try? decoder.decodeInt64(), let text = try? decoder.decodeString(), decoder.isAtEnd,
            let id = RevisionID(text), id.description == text
        else { return nil }
        return Int(exactly: generation).flatMap { Revision(generation: $0, id: id) }
    }

    /// Returns the document and the revision between `offset` and the end of the key of a version; `nil` if they cannot
    /// be read.
    static func documentRevision(in key: Span<UInt8>, behind offset: Int) -> (DocumentID, Revision)? {
        guard offset < key.count else { return nil }
        var decoder = TupleDecoder(key.extracting(offset..<key.count))
        guard (try? decoder.decodeElement()) != nil, decoder.offset + offset < key.count,
            let id = DocumentID(encoded: key.extracting(offset..<offset + decoder.offset)),
            let revision = revision(in: key, behind: offset + decoder.offset)
        else { return nil }
        return (id, revision)
    }

    /// Returns the key of a local record of a replicated collection.
    static func localRecord(_ collection: UInt32, _ name: String) -> [UInt8] {
        var key = StoreKey.replication.prefix(collection)
        TupleEncoder.append(name, to: &key)
        return key
    }

    /// Appends a row number, the last part of the keys of documents and index entries.
    static func appendRow(_ row: UInt64, to key: inout [UInt8]) {
        TupleEncoder.append(row, to: &key)
    }

    /// Returns the row number between `offset` and the end of the key; `nil` if there is none.
    ///
    /// Inlined rather than using the tuple decoder, because it runs for each index entry that a query visits.
    static func row(in key: Span<UInt8>, at offset: Int) -> UInt64? {
        guard offset < key.count else { return nil }
        let byteCount = Int(key[offset]) - 0x14
        guard byteCount >= 0, byteCount <= 8, key.count == offset + 1 + byteCount else { return nil }
        var row: UInt64 = 0
        for index in offset + 1..<key.count { row = row << 8 | UInt64(key[index]) }
        return row
    }
}
