extension DocumentValue {
    /// Returns this stored value with the changes between two encodings applied to it. `old` is the encoding of what
    /// was decoded from this value, so what it lacks is unknown to the Swift type and is kept.
    ///
    /// - Complexity: O(*n*) in the size of the values.
    func applying(changesFrom old: DocumentValue, to new: DocumentValue) -> DocumentValue {
        if old == new { return self }
        switch (self, old, new) {
        case (.object(let stored), .object(let old), .object(let new)):
            return .object(stored.applying(changesFrom: old, to: new))
        case (.array(let stored), .array(let old), .array(let new)) where stored.count == old.count:
            return .array(Self.elements(stored, changedFrom: old, to: new))
        default: return new
        }
    }

    /// Returns the new elements, each applied to the stored element that it was decoded from if that is known: an equal
    /// element; or, if as many new elements as old ones are without an equal one, the element at the same place among
    /// them.
    private static func elements(
        _ stored: [DocumentValue], changedFrom old: [DocumentValue], to new: [DocumentValue]
    ) -> [DocumentValue] {
        var origins: [Int?] = new.indices.map { old.indices.contains($0) && old[$0] == new[$0] ? $0 : nil }
        let unmoved = Set(origins.compactMap { $0 })
        // Reversed, so that the first of several equal elements is taken first.
        var moved: [DocumentValue: [Int]] = [:]
        for place in old.indices.reversed() where !unmoved.contains(place) {
            moved[old[place], default: []].append(place)
        }
        for place in new.indices where origins[place] == nil { origins[place] = moved[new[place]]?.popLast() }
        let used = Set(origins.compactMap { $0 })
        let replaced = old.indices.filter { !used.contains($0) }
        let changed = new.indices.filter { origins[$0] == nil }
        if replaced.count == changed.count {
            for (place, origin) in zip(changed, replaced) { origins[place] = origin }
        }
        return zip(new, origins).map { element, origin in
            guard let origin else { return element }
            return stored[origin].applying(changesFrom: old[origin], to: element)
        }
    }
}

extension DocumentObject {
    fileprivate func applying(changesFrom old: DocumentObject, to new: DocumentObject) -> DocumentObject {
        var result = self
        for member in old where new[member.name] == nil { result.removeValue(forName: member.name) }
        for member in new {
            let before = old[member.name]
            // A member that the type adds to every document, such as a default, does not count as a change.
            if before == member.value { continue }
            if let before, let stored = result[member.name] {
                result[member.name] = stored.applying(changesFrom: before, to: member.value)
            } else {
                result[member.name] = member.value
            }
        }
        return result
    }
}
