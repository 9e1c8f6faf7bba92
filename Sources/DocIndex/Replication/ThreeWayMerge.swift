/// Merges versions of a document, member by member, by what each of them has changed.
///
/// The result depends on the versions alone and not on their order, so replicas that merge the same versions make the
/// same document. Members keep the order of the base. Added ones follow, ordered by their position among the additions
/// of their version, then by their bytes.
struct ThreeWayMerge {
    /// The paths of arrays that are merged by additions and removals of elements.
    private let sets: Set<[FieldPath.Step]>

    /// The maximum nesting depth of objects that are merged by member. Deeper ones are compared as a whole.
    static let maximumDepth = 32

    /// Two versions changed one member in different ways.
    private struct Disagreement: Error {}

    init(sets: [FieldPath]) {
        self.sets = Set(sets.map { path in path.steps.last == .eachElement ? path.steps.dropLast() : path.steps })
    }

    /// Returns the merged document; `nil` if two versions changed one member differently.
    ///
    /// - Complexity: O(*n*) in the size of all versions, apart from sorting what was added.
    func merge(_ versions: [DocumentObject], base: DocumentObject) -> DocumentObject? {
        try? merge(Set(versions), base: base, at: [])
    }

    private func merge(
        _ versions: Set<DocumentObject>, base: DocumentObject, at path: [FieldPath.Step]
    ) throws(Disagreement) -> DocumentObject {
        let changed = versions.filter { $0 != base }
        if changed.count <= 1 { return changed.first ?? base }
        var result: DocumentObject = [:]
        for member in base {
            result[member.name] = try mergeMember(
                Set(changed.map { $0[member.name] }), base: member.value, at: path + [.name(member.name)])
        }
        let names = additions(in: changed.map { $0.map { .string($0.name) } }, to: Set(base.map { .string($0.name) }))
        for case .string(let name) in names {
            result[name] = try mergeMember(Set(changed.map { $0[name] }), base: nil, at: path + [.name(name)])
        }
        return result
    }

    /// Returns the merged value; `nil` if the member is removed.
    private func mergeMember(
        _ values: Set<DocumentValue?>, base: DocumentValue?, at path: [FieldPath.Step]
    ) throws(Disagreement) -> DocumentValue? {
        let changed = values.filter { $0 != base }
        guard changed.count > 1 else { return changed.isEmpty ? base : changed.first ?? nil }
        if sets.contains(path), let base = Self.elements(base), let union = union(of: changed, base: base) {
            return .array(union)
        }
        guard case .object(let base) = base, path.count <= Self.maximumDepth else { throw Disagreement() }
        var objects: Set<DocumentObject> = []
        for value in changed {
            guard case .object(let object) = value else { throw Disagreement() }
            objects.insert(object)
        }
        return .object(try merge(objects, base: base, at: path))
    }

    /// Returns the elements of an array; none for an absent one, and `nil` for any other value.
    private static func elements(_ value: DocumentValue?) -> [DocumentValue]? {
        guard let value else { return [] }
        guard case .array(let elements) = value else { return nil }
        return elements
    }

    /// Returns the elements that no version removed, then those that any version added; `nil` if a version has another
    /// value than an array.
    private func union(of versions: Set<DocumentValue?>, base: [DocumentValue]) -> [DocumentValue]? {
        var lists: [[DocumentValue]] = []
        for value in versions {
            guard let elements = Self.elements(value) else { return nil }
            lists.append(elements)
        }
        let members = lists.map { Set($0) }
        var known: Set<DocumentValue> = []
        let kept = base.filter { element in
            known.insert(element).inserted && members.allSatisfy { $0.contains(element) }
        }
        return kept + additions(in: lists, to: known)
    }

    /// Returns the elements of all lists that are not in the base, each once.
    private func additions(in lists: [[DocumentValue]], to base: Set<DocumentValue>) -> [DocumentValue] {
        var positions: [DocumentValue: Int] = [:]
        for list in lists {
            for (position, element) in list.filter({ !base.contains($0) }).enumerated() {
                positions[element] = min(positions[element] ?? position, position)
            }
        }
        let added = positions.map { element, position in
            var bytes: [UInt8] = []
            element.writeJSON(to: &bytes, JSONWriter(notation: .dump))
            return (element: element, position: position, bytes: bytes)
        }
        return added.sorted { a, b in
            a.position == b.position ? a.bytes.lexicographicallyPrecedes(b.bytes) : a.position < b.position
        }.map(\.element)
    }
}
