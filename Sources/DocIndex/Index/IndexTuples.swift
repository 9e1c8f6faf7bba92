/// The combinations of values that a document has at several paths.
///
/// Paths that go through the same array take their values from the same element; elements in which none of them leads
/// anywhere are passed over. Different arrays are combined each element with each. A path that leads nowhere gives
/// `nil`. So there is always at least one combination, and exactly one where no path has `[]`.
struct IndexTuples {
    /// Combinations that a document may have where arrays are multiplied.
    static let limit = 1000

    /// More combinations than are allowed.
    struct LimitError: Error {}

    private let paths: [FieldPath]
    private let isLimited: Bool

    init(_ paths: [FieldPath]) {
        self.paths = paths
        isLimited = Self.multiplies(paths)
    }

    /// The combinations, in the order of the document; values in the order of the paths.
    ///
    /// - Throws: ``LimitError`` if several arrays give more than ``limit``.
    /// - Complexity: O(*n*) in the number of combinations.
    func combinations(in document: DocumentObject) throws(LimitError) -> [[DocumentValue?]] {
        if !paths.contains(where: \.hasArrayStep) { return [paths.map { $0.value(in: document) }] }
        let combinations = try combinations(of: .object(document), paths: Array(paths.indices), depth: 0)
        if isLimited, combinations.count > Self.limit { throw LimitError() }
        return combinations
    }

    /// Whether two paths go through arrays of which neither lies in the other.
    static func multiplies(_ paths: [FieldPath]) -> Bool {
        paths.indices.contains { first in
            paths[..<first].contains { second in
                let common = zip(paths[first].steps, second.steps).prefix { $0 == $1 }.count
                return paths[first].steps[common...].contains(.eachElement)
                    && second.steps[common...].contains(.eachElement)
            }
        }
    }

    /// Whether two paths go through the same array, so that conditions on both may be met by different elements.
    static func shareArray(_ a: FieldPath, _ b: FieldPath) -> Bool {
        zip(a.steps, b.steps).prefix { $0 == $1 }.contains { $0.0 == .eachElement }
    }

    /// The combinations of the paths that have their first `depth` steps in common and lead to `value` by them.
    private func combinations(
        of value: DocumentValue, paths open: [Int], depth: Int
    ) throws(LimitError) -> [[DocumentValue?]] {
        var result: [[DocumentValue?]] = [Array(repeating: nil, count: paths.count)]
        var rest: [Int] = []
        for path in open {
            if paths[path].steps.count == depth { result[0][path] = value } else { rest.append(path) }
        }
        while let first = rest.first {
            let step = paths[first].steps[depth]
            let group = rest.filter { paths[$0].steps[depth] == step }
            rest.removeAll { paths[$0].steps[depth] == step }
            let next = try followers(of: value, step: step, paths: group, depth: depth)
            if next.isEmpty { continue }
            if result.count > 1, next.count > 1, result.count * next.count > Self.limit { throw LimitError() }
            result = result.flatMap { left in next.map { merged(left, $0, at: group) } }
        }
        return result
    }

    /// The combinations behind one step; empty if it leads nowhere.
    private func followers(
        of value: DocumentValue, step: FieldPath.Step, paths group: [Int], depth: Int
    ) throws(LimitError) -> [[DocumentValue?]] {
        switch (step, value) {
        case (.name(let name), .object(let object)):
            guard let member = object[name] else { return [] }
            return try combinations(of: member, paths: group, depth: depth + 1)
        case (.name, _), (.eachElement, .null): return []
        case (.eachElement, .array(let elements)):
            var all: [[DocumentValue?]] = []
            for element in elements {
                // Before memory is used up for what is refused in the end.
                if isLimited, all.count > Self.limit { throw LimitError() }
                for combination in try combinations(of: element, paths: group, depth: depth + 1)
                where group.contains(where: { combination[$0] != nil }) { all.append(combination) }
            }
            return all
        // A value that is no array counts as an array of one.
        case (.eachElement, _): return try combinations(of: value, paths: group, depth: depth + 1)
        }
    }

    private func merged(_ left: [DocumentValue?], _ right: [DocumentValue?], at group: [Int]) -> [DocumentValue?] {
        var left = left
        for path in group { left[path] = right[path] }
        return left
    }
}
