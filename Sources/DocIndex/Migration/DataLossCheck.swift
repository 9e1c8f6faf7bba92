/// Finds data that a migration would lose.
struct DataLossCheck {
    let drops: [FieldPath]

    /// Returns the path of the first member of `old` that is missing in `new` and not declared as dropped; `nil` if
    /// there is none.
    func lostPath(from old: DocumentObject, to new: DocumentObject) -> String? {
        lostPath(from: old, to: new, steps: [])
    }

    private func lostPath(from old: DocumentObject, to new: DocumentObject, steps: [FieldPath.Step]) -> String? {
        for member in old {
            let path = steps + [.name(member.name)]
            if drops.contains(where: { $0.steps == path }) { continue }
            guard let value = new[member.name] else { return Self.text(path) }
            if let lost = lostPath(from: member.value, to: value, steps: path) { return lost }
        }
        return nil
    }

    private func lostPath(from old: DocumentValue, to new: DocumentValue, steps: [FieldPath.Step]) -> String? {
        switch (old, new) {
        case (.object(let old), .object(let new)): return lostPath(from: old, to: new, steps: steps)
        case (.object(let old), _): return old.isEmpty ? nil : Self.text(steps)
        case (.array(let old), .array(let new)):
            let path = steps + [.eachElement]
            if drops.contains(where: { $0.steps == path }) { return nil }
            guard new.count >= old.count else { return Self.text(path) }
            for (old, new) in zip(old, new) {
                if let lost = lostPath(from: old, to: new, steps: path) { return lost }
            }
            return nil
        case (.array(let old), let new):
            // An array with one element may become that element.
            guard let element = old.first else { return nil }
            return old.count > 1 ? Self.text(steps) : lostPath(from: element, to: new, steps: steps)
        case (.null, _): return nil
        case (_, .null): return Self.text(steps)
        // A value may become the first element of an array, or a member of an object. An empty string may be replaced.
        case (.string(let old), _) where old.isEmpty: return nil
        case (_, .array(let new)): return new.isEmpty ? Self.text(steps) : nil
        case (_, .object(let new)): return new.isEmpty ? Self.text(steps) : nil
        case (_, .string(let new)): return new.isEmpty ? Self.text(steps) : nil
        default: return nil
        }
    }

    /// Returns a path as text.
    static func text(_ steps: [FieldPath.Step]) -> String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .name(let name): text += (text.isEmpty ? "" : ".") + name
            case .eachElement: text += "[]"
            }
        }
    }
}
