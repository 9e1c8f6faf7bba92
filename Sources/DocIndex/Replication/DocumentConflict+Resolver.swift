extension DocumentConflict {
    /// How a conflict is resolved.
    public enum Resolution: Sendable, Hashable {
        /// The first version, which reads and queries already return, becomes the only one.
        case keep
        /// The version with this revision becomes the only one.
        case take(Document.Revision)
        /// The document gets this content, with its ID.
        case merge(DocumentObject)
        /// The document is deleted.
        case delete
        /// The conflict remains.
        case later
    }

    /// Decides how conflicts are resolved.
    ///
    /// Several replicas may meet the same conflict. If a resolver depends on nothing but the conflict, all of them make
    /// the same version, and no new conflict arises.
    ///
    /// Versions with the same content, as after importing one catalog twice, are no decision: the first one is kept,
    /// and the resolver is not asked.
    ///
    /// ```swift
    /// let mostStars = DocumentConflict.Resolver { conflict in
    ///     func stars(_ version: DocumentConflict.Version) -> Int64 { version.content["rating"]?.intValue ?? 0 }
    ///     let best = conflict.versions.max { stars($0) < stars($1) }
    ///     return best.map { .take($0.revision) } ?? .later
    /// }
    /// ```
    public struct Resolver: Sendable {
        private let answer: @Sendable (DocumentConflict) async throws -> Resolution

        /// Creates a resolver.
        ///
        /// - Parameter answer: decides about a conflict. No lock is held while it runs, so it may ask a person. It is
        ///   asked again if the versions have changed meanwhile.
        public init(_ answer: @escaping @Sendable (DocumentConflict) async throws -> Resolution) {
            self.answer = answer
        }

        /// Returns how a conflict is resolved: ``DocumentConflict/Resolution/keep`` if all versions have the same
        /// content, otherwise the answer of the resolver.
        ///
        /// - Throws: what the resolver throws.
        public func resolution(of conflict: DocumentConflict) async throws -> Resolution {
            if Set(conflict.comparable).count == 1 { return .keep }
            return try await answer(conflict)
        }

        /// Leaves each conflict to a person.
        public static let manual = Resolver { _ in .later }

        /// Keeps the version that reads and queries already return. What other versions contain is lost.
        public static let winner = Resolver { _ in .keep }

        /// Merges the versions by what each of them has changed since their base.
        ///
        /// A member that only one version changed, added or removed, or that all changed in the same way, is taken from
        /// there. Objects are merged in the same way, up to 32 levels deep. The conflict remains if two versions changed
        /// one member differently, or if the base is not stored.
        ///
        /// - Parameter sets: the paths of arrays without order, such as `keywords`. They get the elements that any
        ///   version added, and lose those that any version removed.
        public static func threeWay(sets: [FieldPath] = []) -> Resolver {
            Resolver { $0.merged(sets: sets).map(Resolution.merge) ?? .later }
        }
    }

    /// Returns the versions merged by what each of them has changed since their base; `nil` if two versions changed one
    /// member differently, or if they differ and the base is not stored. See ``Resolver/threeWay(sets:)``.
    ///
    /// - Complexity: O(*n*) in the size of all versions, apart from sorting what was added.
    public func merged(sets: [FieldPath] = []) -> DocumentObject? {
        let versions = comparable
        let content: DocumentObject?
        if Set(versions).count == 1 {
            content = versions.first
        } else if var base = base?.content {
            base.removeValue(forName: idField)
            content = ThreeWayMerge(sets: sets).merge(versions, base: base)
        } else {
            content = nil
        }
        guard let content else { return nil }
        var merged: DocumentObject = [:]
        // Replicas may have the ID in different places. It comes first, so that the results are equal everywhere.
        merged[idField] = id.value
        for member in content { merged[member.name] = member.value }
        return merged
    }

    /// The names of the members in which versions differ, in the order of the first version, then of the others.
    public var differingMembers: [String] {
        let contents = comparable
        var known: Set<DocumentValue> = []
        return contents.flatMap { $0.map(\.name) }.filter { name in
            known.insert(.string(name)).inserted && Set(contents.map { $0[name] }).count > 1
        }
    }

    /// The contents without the ID, which replicas may put in different places.
    private var comparable: [DocumentObject] {
        versions.map { version in
            var content = version.content
            content.removeValue(forName: idField)
            return content
        }
    }

    /// Returns the content that a resolution gives the document, `nil` for a deletion.
    package func content(_ resolution: Resolution) throws -> DocumentObject? {
        switch resolution {
        case .merge(let content): return content
        case .take(let revision):
            if let version = versions.first(where: { $0.revision == revision }) { return version.content }
            throw DocIndexError(
                .conflict, "the document \(id) has no version \(revision) in this conflict; take one of its versions")
        case .keep, .later: return versions.first?.content
        case .delete: return nil
        }
    }
}
