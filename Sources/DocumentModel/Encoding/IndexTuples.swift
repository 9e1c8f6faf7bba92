/// The combinations of a document's values at several paths.
///
/// Paths through the same array take their values from the same element; elements without a value at any of the paths
/// are ignored. Elements of different arrays are combined with each other. A path without a value gives `nil`. There is
/// always at least one combination, and exactly one if no path contains `[]`.
package struct IndexTuples {
    /// The maximum number of combinations of one document if arrays multiply.
    package static let limit = 1000

    /// There are more combinations than allowed.
    package struct LimitError: Error {}

    private let paths: [FieldPath]
    private let isLimited: Bool

    package init(_ paths: [FieldPath]) {
        self.paths = paths
        isLimited = Self.multiplies(paths)
    }

    /// Returns the combinations in the order of the document, with values in the order of the paths.
    ///
    /// - Throws: ``LimitError`` if several arrays give more than ``limit`` combinations.
    /// - Complexity: O(*n*) in the number of combinations.
    package func combinations(in document: DocumentObject) throws(LimitError) -> [[DocumentValue?]] {
        if !paths.contains(where: \.hasArrayStep) { return [paths.map { $0.value(in: document) }] }
        let combinations = try combinations(of: .object(document), paths: Array(paths.indices), depth: 0)
        if isLimited, combinations.count > Self.limit { throw LimitError() }
        return combinations
    }

    /// Returns whether two paths lead through separate arrays that do not contain each other.
    package static func multiplies(_ paths: [FieldPath]) -> Bool {
        paths.indices.contains { first in
            paths[..<first].contains { second in
                let common = zip(paths[first].steps, second.steps).prefix { $0 == $1 }.count
                return paths[first].steps[common...].contains(.eachElement)
                    && second.steps[common...].contains(.eachElement)
            }
        }
    }

    /// Returns whether two paths lead through the same array, so that different elements may satisfy conditions on
    /// them.
    package static func shareArray(_ a: FieldPath, _ b: FieldPath) -> Bool {
        zip(a.steps, b.steps).prefix { $0 == $1 }.contains { $0.0 == .eachElement }
    }

    /// Returns the combinations of paths that share their first `depth` steps, which lead to `value`.
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

    /// Returns the combinations after one step; empty if the step leads to no value.
    private func followers(
        of value: DocumentValue, step: FieldPath.Step, paths group: [Int], depth: Int
    ) throws(LimitError) -> [[DocumentValue?]] {
        switch (step, value) {
        case (.name(let name), .object), (.name(let name), .attachment):
            guard let member = value[name] else { return [] }
            return try combinations(of: member, paths: group, depth: depth + 1)
        case (.name, _), (.eachElement, .null): return []
        case (.eachElement, .array(let elements)):
            var all: [[DocumentValue?]] = []
            for element in elements {
                // Stop early, before memory is used up.
                if isLimited, all.count > Self.limit { throw LimitError() }
                for combination in try combinations(of: element, paths: group, depth: depth + 1)
                where group.contains(where: { combination[$0] != nil }) { all.append(combination) }
            }
            return all
        // A value that is not an array counts as an array of one element.
        case (.eachElement, _): return try combinations(of: value, paths: group, depth: depth + 1)
        }
    }

    private func merged(_ left: [DocumentValue?], _ right: [DocumentValue?], at group: [Int]) -> [DocumentValue?] {
        var left = left
        for path in group { left[path] = right[path] }
        return left
    }
}
