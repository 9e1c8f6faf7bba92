/// The leading components of an index that conditions fix or restrict.
struct IndexPrefix {
    /// The maximum number of key prefixes looked up in one index.
    static let limit = 10_000

    private let index: ValueIndex
    /// The position of the first component that is not fixed.
    private(set) var position = 0
    /// The key prefixes that consist of the fixed values.
    private(set) var prefixes: [[UInt8]]
    /// Whether the component at ``position`` is restricted to intervals.
    private(set) var hasIntervals = false
    /// The conditions used so far.
    private(set) var notes: [Filter] = []
    private(set) var exact: Set<Int> = []
    private(set) var answered: Set<Int> = []
    /// The components used so far, each with the conjunct whose array element it refers to.
    private var used: [(path: FieldPath, element: Int?)] = []
    /// A cache of the conditions usable at ``position``.
    private var known: [(PlannedCondition, ComponentRanges)]?

    init(_ index: ValueIndex) {
        self.index = index
        prefixes = [index.entryPrefix]
    }

    private var component: IndexDefinition.Component? {
        position < index.components.count ? index.components[position] : nil
    }

    private var isOnlyComponent: Bool { index.components.count == 1 }

    /// Returns the conditions on the next component that can be combined with those used before. Different elements may
    /// satisfy conditions on the same array, but an entry is made from one element.
    private mutating func usable(_ conditions: [PlannedCondition]) -> [(PlannedCondition, ComponentRanges)] {
        if let known { return known }
        guard let component else { return [] }
        let sharing = used.filter { IndexTuples.shareArray($0.path, component.path) }
        let usable = conditions.compactMap { condition -> (PlannedCondition, ComponentRanges)? in
            guard condition.path == component.path else { return nil }
            for other in sharing {
                let sharedCount = zip(other.path.steps, component.path.steps).prefix { $0 == $1 }.count
                if other.element == nil || other.element != condition.element
                    || condition.hasInnerArray(inFirst: sharedCount)
                {
                    return nil
                }
            }
            return ComponentRanges(condition.filter, component: component, isOnlyComponent: isOnlyComponent)
                .map { (condition, $0) }
        }
        known = usable
        return usable
    }

    /// Fixes the next component to single values, if a condition allows it.
    mutating func takePoints(_ conditions: [PlannedCondition]) -> Bool {
        guard let component else { return false }
        for (condition, bounds) in usable(conditions) {
            guard case .points(let points) = bounds.shape, prefixes.count * points.count <= Self.limit else { continue }
            prefixes = prefixes.flatMap { prefix in points.map { prefix + $0 } }
            note(condition, bounds)
            used.append((component.path, condition.element))
            position += 1
            known = nil
            return true
        }
        return false
    }

    /// Returns the intervals of the next component that the conditions allow; `nil` if no condition restricts it.
    mutating func takeIntervals(_ conditions: [PlannedCondition]) -> [ComponentRanges.Interval]? {
        guard let component else { return nil }
        var found: [ComponentRanges.Interval]?
        var element: Int?
        for (condition, bounds) in usable(conditions) {
            guard case .intervals(let intervals) = bounds.shape else { continue }
            // Different elements may satisfy conditions on an array, unless the conditions are about the same element.
            if found != nil, component.path.hasArrayStep,
                element == nil || condition.element != element || condition.hasInnerArray(inFirst: .max)
            {
                continue
            }
            let both = found.map { ComponentRanges.intersection($0, intervals) } ?? intervals
            guard prefixes.count * both.count <= Self.limit else { continue }
            found = both
            element = condition.element
            note(condition, bounds)
        }
        hasIntervals = found != nil
        return found
    }

    private mutating func note(_ condition: PlannedCondition, _ bounds: ComponentRanges) {
        notes.append(condition.filter)
        guard let conjunct = condition.conjunct ?? condition.element else { return }
        answered.insert(conjunct)
        if bounds.isExact, condition.conjunct != nil { exact.insert(conjunct) }
    }

    /// A condition that can be evaluated on an entry.
    struct ComponentFilter {
        let component: Int
        let filter: Filter
        let conjunct: Int?
        let isExact: Bool
    }

    /// Returns the conditions on later components, which are evaluated on each entry. Components of arrays are left
    /// out, because another entry of the document may satisfy the condition.
    func filters(_ conditions: [PlannedCondition], behind first: Int) -> [ComponentFilter] {
        guard first < index.components.count else { return [] }
        return (first..<index.components.count).flatMap { position -> [ComponentFilter] in
            let component = index.components[position]
            guard component.hasOrderOfValues, !component.path.hasArrayStep else { return [] }
            return conditions.compactMap { condition in
                guard let conjunct = condition.conjunct, condition.path == component.path else {
                    return nil
                }
                return ComponentFilter(
                    component: position, filter: condition.filter, conjunct: conjunct,
                    isExact: condition.filter.isDecidedByKeys)
            }
        }
    }
}

extension Filter {
    /// The path of a condition on one path or of its negation.
    var entryPath: FieldPath? {
        if case .not(let part) = self { return part.content.leafPath }
        return leafPath
    }

    /// Whether a key decides the condition, although keys do not distinguish integers from whole doubles.
    fileprivate var isDecidedByKeys: Bool {
        switch self {
        case .not(let part): part.content.isDecidedByKeys
        case .compare, .isIn, .exists, .folded, .hasPrefix, .contains, .hasMatch, .isBelow, .isDated, .hasDatePart: true
        default: false
        }
    }

    /// Returns whether an entry with this value at the condition's path can belong to a document that satisfies it.
    ///
    /// - Throws: The errors of ``Filter/TextPattern/hasBoundedMatch(in:)``.
    func admits(_ decoded: OrderedValue.Decoded) throws -> Bool {
        if case .not(let part) = self {
            return try part.content.isDecidedByKeys ? !part.content.admits(decoded) : true
        }
        guard let leaf else { return true }
        switch decoded {
        case .missing: return false
        case .value(let value):
            if case .isCongruent = leaf.condition { return value.numberValue != nil }
            if case .hasKind(let kinds) = leaf.condition, value.numberValue != nil {
                return kinds.contains(.int) || kinds.contains(.double)
            }
            // Keys do not distinguish kinds of numbers within arrays and objects either.
            switch leaf.condition {
            case .satisfies, .hasKey: return true
            default: break
            }
            return try leaf.condition.holdsBounded(value)
        }
    }
}
