extension Schema {
    /// A difference between two schemas.
    public struct Change: Sendable, Hashable {
        /// The kind of change.
        public enum Kind: String, Sendable, Hashable {
            /// The subject is new.
            case added
            /// The subject is no longer declared.
            case removed
            /// The declaration of the subject differs.
            case changed
        }

        /// The subject of a change.
        public enum Subject: Sendable, Hashable {
            /// The schema itself.
            case schema
            /// A collection.
            case collection(String)
            /// The history of a collection.
            case history(collection: String)
            /// An index of a collection.
            case index(String, collection: String)
        }

        /// The kind of change.
        public let kind: Kind
        /// The subject of the change.
        public let subject: Subject
        /// The details and consequences of the change, one phrase each.
        public let reasons: [String]
        /// Whether an index must be built from the documents.
        public internal(set) var buildsIndex = false
    }
}

extension Schema.Change: CustomStringConvertible {
    /// The change in one line.
    public var description: String {
        let name =
            switch subject {
            case .schema: "schema"
            case .collection(let name): "collection \(name)"
            case .history(let collection): "history of \(collection)"
            case .index(let name, let collection): "index \(name) of \(collection)"
            }
        return "\(kind.rawValue) \(name)" + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; "))
    }
}

extension Schema {
    /// Returns the changes from `old` to this schema, in the order of this schema, with removals last; empty if there
    /// are none. Nothing is read or written, so this is suitable for a dry run.
    ///
    /// Whether the store accepts the change is decided when it is opened. A store never drops a collection.
    public func difference(from old: Schema) -> [Schema.Change] {
        var changes: [Schema.Change] = []
        if version != old.version {
            changes.append(
                Schema.Change(kind: .changed, subject: .schema, reasons: ["version \(old.version) → \(version)"]))
        }
        for collection in collections {
            let previous = old.collections.first { $0.name.hasSameBytes(as: collection.name) }
            if previous == nil {
                changes.append(Schema.Change(kind: .added, subject: .collection(collection.name), reasons: []))
            }
            changes += collection.difference(
                from: previous ?? CollectionDefinition(collection.name, id: collection.idField))
        }
        for collection in old.collections
        where !collection.isReserved && !collections.contains(where: { $0.name.hasSameBytes(as: collection.name) }) {
            changes.append(
                Schema.Change(
                    kind: .removed, subject: .collection(collection.name),
                    reasons: ["a store never drops a collection and rejects this; declare the collection"]))
        }
        return changes
    }
}

extension CollectionDefinition {
    fileprivate func difference(from old: CollectionDefinition) -> [Schema.Change] {
        var changes: [Schema.Change] = []
        if !idField.hasSameBytes(as: old.idField) {
            changes.append(
                Schema.Change(
                    kind: .changed, subject: .collection(name),
                    reasons: [
                        "id \(old.idField) → \(idField); a store rejects this; dump it and load it into a new store"
                    ]))
        }
        if let change = historyChange(from: old.history) { changes.append(change) }
        for index in indexes {
            guard let previous = old.indexes.first(where: { $0.name.hasSameBytes(as: index.name) }) else {
                changes.append(
                    Schema.Change(
                        kind: .added, subject: .index(index.name, collection: name), reasons: [index.jsonValue.json],
                        buildsIndex: true))
                continue
            }
            let reasons = index.reasons(for: previous)
            if reasons.isEmpty { continue }
            let keepsEntries = index.storesSame(as: previous)
            changes.append(
                Schema.Change(
                    kind: .changed, subject: .index(index.name, collection: name),
                    reasons: reasons + [keepsEntries ? "its entries stay as they are" : "it is rebuilt"],
                    buildsIndex: !keepsEntries))
        }
        for index in old.indexes where !indexes.contains(where: { $0.name.hasSameBytes(as: index.name) }) {
            changes.append(
                Schema.Change(
                    kind: .removed, subject: .index(index.name, collection: name), reasons: ["its entries are deleted"])
            )
        }
        return changes
    }
}

extension CollectionDefinition {
    /// Returns the change of the history; `nil` if it stays the same.
    private func historyChange(from old: History?) -> Schema.Change? {
        let subject = Schema.Change.Subject.history(collection: name)
        switch (old, history) {
        case (nil, let new?):
            return Schema.Change(kind: .added, subject: subject, reasons: [new.jsonValue.json])
        case (.some, nil):
            return Schema.Change(kind: .removed, subject: subject, reasons: ["the kept versions are deleted"])
        case (let old?, let new?) where old != new:
            var reasons = ["\(old.jsonValue.json) → \(new.jsonValue.json)"]
            let isShorter = (new.age?.seconds ?? .max) < (old.age?.seconds ?? .max)
            if isShorter || (new.versions ?? .max) < (old.versions ?? .max) {
                reasons.append("versions outside the new bounds are deleted")
            }
            return Schema.Change(kind: .changed, subject: subject, reasons: reasons)
        default: return nil
        }
    }
}

extension IndexDefinition {
    /// Returns the members of the JSON form that differ.
    fileprivate func reasons(for old: IndexDefinition) -> [String] {
        guard case .object(let new) = jsonValue, case .object(let old) = old.jsonValue else { return [] }
        let names = old.map(\.name) + new.map(\.name).filter { old[$0] == nil }
        return names.compactMap { name in
            if old[name] == new[name] { return nil }
            return "\(name) \(old[name]?.json ?? "absent") → \(new[name]?.json ?? "absent")"
        }
    }
}
