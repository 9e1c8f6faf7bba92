import DocIndex

/// What a change does to a document, as rows for people: one for each changed member.
struct DocumentChange {
    /// The document before the change; `nil` if it did not exist.
    let old: DocumentObject?
    /// The document after the change; `nil` if it is deleted.
    let new: DocumentObject?

    /// Rows that begin with the members of `head`, followed by `field`, `before` and `after`. A created or deleted
    /// document is one row without `field`. What two long values have in common at their start is shortened.
    func rows(behind head: DocumentObject) -> [DocumentObject] {
        if old == new { return [] }
        guard let old, let new else {
            var row = head
            row["before"] = old.map { .object($0) }
            row["after"] = new.map { .object($0) }
            return [row]
        }
        return Self.rows(behind: head, old, new, path: "")
    }

    /// Rows for the members that differ, and for those of objects in both. If only the order of the members differs, it
    /// is one row.
    private static func rows(
        behind head: DocumentObject, _ old: DocumentObject, _ new: DocumentObject, path: String
    ) -> [DocumentObject] {
        let names = old.map(\.name) + new.map(\.name).filter { old[$0] == nil }
        let changed = names.filter { old[$0] != new[$0] }
        guard !changed.isEmpty else {
            var row = head
            row["field"] = .string(path + "(order)")
            row["before"] = .array(old.map { .string($0.name) })
            row["after"] = .array(new.map { .string($0.name) })
            return [row]
        }
        return changed.flatMap { name in
            if case .object(let old)? = old[name], case .object(let new)? = new[name] {
                return rows(behind: head, old, new, path: path + name + ".")
            }
            var row = head
            row["field"] = .string(path + name)
            let (before, after) = shortened(old[name], new[name])
            row["before"] = before.map(told)
            row["after"] = after.map(told)
            return [row]
        }
    }

    /// A value that a table shows as something else than no value.
    private static func told(_ value: DocumentValue) -> DocumentValue {
        switch value {
        case .null: .string("null")
        case .string("null"), .string(""): .string(value.json)
        default: value
        }
    }

    /// Two values without what both begin with, which could fill the row; an ellipsis stands for it.
    private static func shortened(
        _ old: DocumentValue?, _ new: DocumentValue?
    ) -> (old: DocumentValue?, new: DocumentValue?) {
        switch (old, new) {
        case (.array(let before)?, .array(let after)?):
            let count = zip(before, after).prefix { $0 == $1 }.count
            guard count > 1 else { return (old, new) }
            return (
                .array([.string("…")] + before.dropFirst(count)), .array([.string("…")] + after.dropFirst(count))
            )
        case (.string(let before)?, .string(let after)?):
            // With some characters before the difference.
            let count = zip(before, after).prefix { $0.unicodeScalars.elementsEqual($1.unicodeScalars) }.count - 10
            guard count > 10 else { return (old, new) }
            return (.string("…" + before.dropFirst(count)), .string("…" + after.dropFirst(count)))
        default: return (old, new)
        }
    }
}
