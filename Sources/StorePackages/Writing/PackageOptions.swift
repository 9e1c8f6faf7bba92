public import DocIndex

extension PackageWriter {
    /// The parts of a package besides its documents.
    public struct Options: Sendable, Hashable {
        /// The title of the gallery; `nil` for the name of the collection.
        public var title: String?
        /// Whether the originals of the attachments are packed. By default they are not, because they are large, and
        /// because their metadata say where and with which camera they were taken.
        public var includesOriginals = false
        /// The names of the specifications of the renditions to pack, the smallest first.
        public var renditions = ["thumbnail", "preview"]
        /// Whether each picture is also packed under a name for people, in the directory `pictures`.
        public var namesPictures = false
        /// Whether places are removed from the documents: the fields of geo indexes, and the place fields of EXIF, IPTC
        /// and XMP, at any depth. Free text stays. Excludes originals, whose metadata cannot be removed.
        public var removesPlaces = false
        /// The commit after which documents must have changed; `nil` for all documents.
        public var since: UInt64?

        /// The usual options.
        public init() {}
    }

    /// The counts and sizes of a written package.
    public struct Summary: Sendable, Hashable {
        /// The number of documents.
        public internal(set) var documentCount = 0
        /// The number of deleted documents.
        public internal(set) var deletionCount = 0
        /// The number of deleted documents that were left out, because nobody knows whether they satisfied the condition.
        public internal(set) var omittedDeletionCount = 0
        /// The IDs of documents that changed and exist, but do not satisfy the condition, or no longer do, sorted. They
        /// are left out.
        public internal(set) var omittedIDs: [DocumentID] = []
        /// The number of originals.
        public internal(set) var originalCount = 0
        /// The number of renditions.
        public internal(set) var renditionCount = 0
        /// The number of attachments without any of the renditions, because they are not pictures or cannot be read.
        public internal(set) var unshownCount = 0
        /// The size of the package in bytes.
        public internal(set) var byteCount: UInt64 = 0
        /// The names of the members that were removed because they hold places, sorted.
        public internal(set) var removedNames: [String] = []
        /// The last commit in the package, for the next one with changes.
        public internal(set) var sequence: UInt64 = 0
    }
}
