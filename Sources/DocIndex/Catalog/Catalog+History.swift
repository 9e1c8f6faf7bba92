extension Catalog {
    /// The history of a collection.
    struct History: Sendable, Hashable {
        var bounds: CollectionDefinition.History
        /// The last commit before the history was switched on. Records of this and earlier commits are left over from
        /// a former history.
        var since: UInt64 = 0
        /// The smallest number of versions that was declared since then: as many changes of each document must still be
        /// stored. `nil` if changes were never limited by number.
        var leastVersions: Int?
        /// Whether changes were limited by age at any time since then.
        var everHadAge: Bool

        init(_ bounds: CollectionDefinition.History) {
            self.bounds = bounds
            leastVersions = bounds.versions
            everHadAge = bounds.age != nil
        }

        /// Reads the form of ``jsonValue``; `nil` for anything else.
        init?(_ value: DocumentValue) {
            guard case .object(var object) = value, case .int(let since)? = object.removeValue(forName: "since"),
                let since = UInt64(exactly: since)
            else { return nil }
            let least = object.removeValue(forName: "leastVersions")
            let hadAge = object.removeValue(forName: "hadAge")
            var reader = SchemaReader()
            guard let bounds = reader.history(.object(object), at: JSONPointer()), reader.violations.isEmpty else {
                return nil
            }
            self.init(bounds)
            self.since = since
            if let least {
                guard case .int(let number) = least, number > 0 else { return nil }
                leastVersions = Int(number)
            }
            if hadAge == true { everHadAge = true }
        }

        var jsonValue: DocumentValue {
            guard case .object(var object) = bounds.jsonValue else { return .null }
            if let leastVersions, leastVersions != bounds.versions {
                object["leastVersions"] = .int(Int64(leastVersions))
            }
            if everHadAge, bounds.age == nil { object["hadAge"] = true }
            object["since"] = .int(Int64(clamping: since))
            return .object(object)
        }
    }

    /// Whether the store contains records of a history, or may get some.
    var keepsHistory: Bool { !droppedHistory.isEmpty || collections.contains { $0.history != nil } }

    /// Returns the history of a collection after its declaration. The caller sets ``History/since`` of a new one.
    mutating func history(
        _ bounds: CollectionDefinition.History?, old: CollectionEntry?, number: UInt32
    ) -> History? {
        guard let bounds else {
            if old?.history != nil, !droppedHistory.contains(number) { droppedHistory.append(number) }
            return nil
        }
        guard var history = old?.history else { return History(bounds) }
        history.bounds = bounds
        history.everHadAge = history.everHadAge || bounds.age != nil
        if let versions = bounds.versions {
            history.leastVersions = min(history.leastVersions ?? .max, versions)
        }
        return history
    }
}
