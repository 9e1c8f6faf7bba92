public import DocIndex
internal import Pictures

/// Packs documents of a collection, with renditions and originals of their attachments, into one file.
///
/// ```swift
/// let writer = try PackageWriter(of: "photos", in: store, query: Query(try Filter(parsing: "rating >= 4")))
/// try writer.write(rendition: { photo, size in try renditions[photo, size] }, to: { try file.write($0) })
/// ```
///
/// The same content gives the same bytes. Everything is from one state of the store.
public struct PackageWriter {
    private let documents: PackedDocuments
    private let attachments: DocumentStore.Attachments
    private let options: Options
    private let condition: String?
    private let omittedDeletionCount: Int
    private let sequence: UInt64

    /// Prepares a package. Reads the changes if only those are wanted.
    ///
    /// - Parameters:
    ///   - collection: the collection.
    ///   - store: the store. Later commits are not packed.
    ///   - query: the condition, and the order in the gallery and the package. Documents without an order are in the
    ///     order of their IDs.
    ///   - condition: the condition as text, for people; `nil` for none.
    ///   - options: what is packed besides.
    ///   - queryOptions: how the documents are found.
    /// - Throws: ``PackageError`` with `invalidOptions`; `DocIndexError`, such as `unknownCollection`.
    public init(
        of collection: String, in store: DocumentStore, query: Query = Query(), condition: String? = nil,
        options: Options = Options(), queryOptions: Query.Options = Query.Options()
    ) throws {
        try Self.check(options)
        let sequence = try store.sequence()
        let snapshot = try store.snapshot()
        guard let pinned = snapshot.collections.first(where: { $0.name.hasSameBytes(as: collection) }) else {
            _ = try store.collection(collection)
            throw PackageError(.invalidOptions, "the collection \(collection) was just created; pack again")
        }
        let definition = pinned.definition
        var query = query
        let order = query.sort.isEmpty ? "id" : "query"
        query.sort.append(.ascending(FieldPath(names: definition.idField)))
        var changed: Set<DocumentID>?
        var deletions: [DocumentID] = []
        if let since = options.since {
            let changes = try store.changes(since: since, in: collection).filter { $0.sequence <= sequence }
            changed = Set(changes.lazy.map(\.id))
            deletions = try changes.filter(\.isDeletion).map(\.id).filter { try !pinned.contains($0) }.sorted()
            changed?.subtract(deletions)
        }
        let isEverything = query.filter == .all && query.limit == nil
        omittedDeletionCount = isEverything ? 0 : deletions.count
        var schema = store.schema
        schema.collections = [definition]
        documents = PackedDocuments(
            collection: pinned, query: query, queryOptions: queryOptions,
            removal: options.removesPlaces ? PlaceRemoval(definition) : nil, changed: changed,
            deletions: isEverything ? deletions : [],
            changes: options.since.map {
                PackageManifest.Changes(epoch: store.epoch.description, since: $0, through: sequence)
            },
            schema: schema, order: order)
        attachments = snapshot.attachments
        // A condition may state a place.
        self.condition = options.removesPlaces ? nil : condition
        self.options = options
        self.sequence = sequence
    }

    private static func check(_ options: Options) throws {
        guard !options.includesOriginals || !options.removesPlaces else {
            throw PackageError(
                .invalidOptions,
                "places cannot be removed from originals, whose metadata contain them; pack without originals")
        }
        var seen: Set<String> = []
        for name in options.renditions {
            guard EntryName.isSpecification(name), seen.insert(name).inserted else {
                throw PackageError(
                    .invalidOptions,
                    "\(name) cannot be packed twice, or is not the name of a size of renditions; use thumbnail or preview"
                )
            }
        }
    }

    /// Writes the package.
    ///
    /// - Parameters:
    ///   - rendition: returns a rendition of an attachment as a JPEG file without metadata, by the name of its
    ///     specification; `nil` if there is none. Called in another task, in the order of the package, while
    ///     renditions before are written. The task is canceled if the package fails.
    ///   - progress: called after each attachment with the number of attachments so far, and the number of all.
    ///   - sink: takes the bytes of the file, in order. Only when this call has returned is the package complete.
    /// - Returns: what was packed.
    /// - Throws: ``PackageError``; `DocIndexError`, such as `attachmentMissing` for originals; `LevelError`; what the
    ///   closures throw.
    @discardableResult
    public func write(
        rendition: @escaping @Sendable (Attachment, _ specification: String) throws -> [UInt8]? = { _, _ in nil },
        progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in },
        to sink: @escaping ([UInt8]) throws -> Void
    ) throws -> Summary {
        var parts = Parts(file: PackageFile(sink), rendition: rendition)
        parts.summary.deletionCount = documents.deletions.count
        parts.summary.omittedDeletionCount = omittedDeletionCount
        parts.summary.sequence = sequence
        let found = try survey(&parts.summary)
        try parts.file.add(.documents) { body in
            try documents.forEachLine(found.attachments.isEmpty ? nil : found.references, body)
        }
        let order = found.order(byItems: options.namesPictures)
        let renditions = RenditionsAhead(of: order, as: options.renditions, rendition)
        defer { renditions.stop() }
        if options.namesPictures {
            let references = Dictionary(found.attachments.map { ($0.digest, $0) }) { first, _ in first }
            for item in found.items {
                try packNamed(item, references, renditions, &parts)
                try progress(parts.packed.count, found.attachments.count)
            }
        }
        for attachment in order where !parts.packed.contains(attachment.digest) {
            _ = try pack(attachment, renditions, &parts)
            try progress(parts.packed.count, found.attachments.count)
        }
        let pictures = found.items.map { item in
            item.attachments.lazy.compactMap { parts.album.picture(of: $0) }.first
        }
        let title = options.title ?? documents.collection.name
        let page = GalleryPage(
            title: title, condition: condition, documentCount: parts.summary.documentCount,
            items: Array(zip(found.items, pictures)))
        try parts.file.add(.gallery, page.html)
        try parts.file.finish(manifest(titled: title, parts.summary))
        parts.summary.byteCount = parts.file.byteCount
        return parts.summary
    }

    private func manifest(titled title: String, _ summary: Summary) -> PackageManifest {
        var manifest = PackageManifest(collection: documents.collection.name, title: title)
        manifest.condition = condition
        manifest.documentCount = summary.documentCount
        manifest.deletionCount = summary.deletionCount
        manifest.hasOriginals = options.includesOriginals
        manifest.renditions = options.renditions
        manifest.isWithoutPlaces = options.removesPlaces
        manifest.changes = documents.changes
        return manifest
    }

    /// The result of the first pass over the documents.
    private struct Survey {
        var references = DocumentLines.References()
        /// One reference to each attachment, in the order of their digests.
        var attachments: [Attachment] = []
        /// The first documents, for the gallery.
        var items: [GalleryItem] = []

        /// Returns the attachments in the order in which they are packed.
        ///
        /// - Parameter byItems: whether those of the gallery come first, in its order.
        func order(byItems: Bool) -> [Attachment] {
            guard byItems else { return attachments }
            var rest = Dictionary(attachments.map { ($0.digest, $0) }) { first, _ in first }
            let first = items.flatMap(\.attachments).compactMap { rest.removeValue(forKey: $0) }
            return first + attachments.filter { rest[$0.digest] != nil }
        }
    }

    private func survey(_ summary: inout Summary) throws -> Survey {
        var survey = Survey()
        var attachments: [Attachment.Digest: Attachment] = [:]
        var removed: Set<String> = []
        var omitted = documents.changed ?? []
        defer {
            summary.removedNames = removed.sorted()
            summary.omittedIDs = omitted.sorted()
        }
        try documents.forEach(noting: { removed.insert($0) }) { id, content in
            summary.documentCount += 1
            omitted.remove(id)
            survey.references.add(content)
            content.forEachAttachment { attachments[$0.digest] = attachments[$0.digest] ?? $0 }
            if survey.items.count < GalleryPage.maximumItemCount { survey.items.append(GalleryItem(id, content)) }
        }
        survey.attachments = attachments.values.sorted { $0.digest < $1.digest }
        return survey
    }

    /// The parts of a package so far.
    private struct Parts {
        var file: PackageFile
        let rendition: RenditionsAhead.Rendering
        var album = PackedAlbum()
        var summary = Summary()
        var packed: Set<Attachment.Digest> = []
        /// The number of pictures under names for people.
        var namedCount = 0
    }

    /// Adds the original and the renditions of an attachment, unless they are packed already.
    ///
    /// - Returns: the largest rendition; `nil` if there is none, or if they are packed already.
    private func pack(
        _ attachment: Attachment, _ renditions: RenditionsAhead, _ parts: inout Parts
    ) throws -> RenditionsAhead.Summed? {
        guard parts.packed.insert(attachment.digest).inserted else { return nil }
        if options.includesOriginals {
            try parts.file.add(attachment) { body in try attachments.read(attachment, body) }
            parts.summary.originalCount += 1
        }
        var largest: RenditionsAhead.Summed?
        for name in options.renditions {
            guard let made = try renditions.next() else { continue }
            try parts.file.add(.rendition(name, attachment.digest), made.bytes, made.sum)
            parts.album.add(name, JPEGHeader(made.bytes), of: attachment.digest)
            parts.summary.renditionCount += 1
            largest = made
        }
        if largest == nil, !options.renditions.isEmpty { parts.summary.unshownCount += 1 }
        return largest
    }

    /// Adds the attachments of a document of the gallery, and the largest rendition of the first picture among them
    /// under a name for people. It is made once, unless documents before have the same picture.
    private func packNamed(
        _ item: GalleryItem, _ references: [Attachment.Digest: Attachment], _ renditions: RenditionsAhead,
        _ parts: inout Parts
    ) throws {
        var picture: (attachment: Attachment, rendition: RenditionsAhead.Summed?)?
        for attachment in item.attachments.compactMap({ references[$0] }) {
            let made = try pack(attachment, renditions, &parts)
            if picture == nil, parts.album.largest(of: attachment.digest) != nil { picture = (attachment, made) }
        }
        guard let (attachment, made) = picture, let size = parts.album.largest(of: attachment.digest),
            let rendition = try made ?? RenditionsAhead.summed(parts.rendition(attachment, size), attachment)
        else { return }
        parts.namedCount += 1
        let name = EntryName.pictureName(parts.namedCount, item.title)
        try parts.file.add(.picture(name), rendition.bytes, rendition.sum)
    }
}
