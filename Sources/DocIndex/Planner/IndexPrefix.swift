internal import LevelKit

/// The components of an index from the first on, as far as conditions fix or restrict them.
struct IndexPrefix {
    /// Beginnings of keys that one index is asked for at most.
    static let limit = 10_000

    private let index: ValueIndex
    /// The first component that is not fixed.
    private(set) var position = 0
    /// The beginnings of keys with the values that are fixed.
    private(set) var prefixes: [[UInt8]]
    /// Whether the component at ``position`` is restricted to intervals.
    private(set) var hasIntervals = false
    /// What was used, as conditions.
    private(set) var notes: [Predicate] = []
    private(set) var exact: Set<Int> = []
    private(set) var answered: Set<Int> = []
    /// Components that were used, and the conjunct whose element they are about.
    private var used: [(path: FieldPath, element: Int?)] = []
    /// What is usable at ``position``; `nil` before anyone has asked.
    private var known: [(PlannedCondition, ComponentBounds)]?

    init(_ index: ValueIndex) {
        self.index = index
        prefixes = [index.entryPrefix]
    }

    private var component: IndexComponent? {
        position < index.components.count ? index.components[position] : nil
    }

    private var isOnlyComponent: Bool { index.components.count == 1 }

    /// Conditions on the next component that may be used together with what was used before: conditions on one array may
    /// be satisfied by different elements, and an entry is made from one.
    private mutating func usable(_ conditions: [PlannedCondition]) -> [(PlannedCondition, ComponentBounds)] {
        if let known { return known }
        guard let component else { return [] }
        let sharing = used.filter { IndexTuples.shareArray($0.path, component.path) }
        let usable = conditions.compactMap { condition -> (PlannedCondition, ComponentBounds)? in
            guard condition.path == component.path else { return nil }
            for other in sharing where other.element == nil || other.element != condition.element { return nil }
            return ComponentBounds(condition.predicate, component: component, isOnlyComponent: isOnlyComponent)
                .map { (condition, $0) }
        }
        known = usable
        return usable
    }

    /// Fixes the next component, if a condition says which values it must have.
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

    /// The intervals of the next component that conditions leave; `nil` if there is no condition on it.
    mutating func takeIntervals(_ conditions: [PlannedCondition]) -> [ComponentBounds.Interval]? {
        guard let component else { return nil }
        var found: [ComponentBounds.Interval]?
        var element: Int?
        for (condition, bounds) in usable(conditions) {
            guard case .intervals(let intervals) = bounds.shape else { continue }
            // Conditions on elements may be satisfied by different ones, unless they are about the same.
            if found != nil, component.path.hasArrayStep, element == nil || condition.element != element { continue }
            let both = found.map { ComponentBounds.intersection($0, intervals) } ?? intervals
            guard prefixes.count * both.count <= Self.limit else { continue }
            found = both
            element = condition.element
            note(condition, bounds)
        }
        hasIntervals = found != nil
        return found
    }

    private mutating func note(_ condition: PlannedCondition, _ bounds: ComponentBounds) {
        notes.append(condition.predicate)
        guard let conjunct = condition.conjunct ?? condition.element else { return }
        answered.insert(conjunct)
        if bounds.isExact, condition.conjunct != nil { exact.insert(conjunct) }
    }

    /// A condition that an entry can be asked.
    struct Filter {
        let component: Int
        let predicate: Predicate
        let conjunct: Int?
        let isExact: Bool
    }

    /// Conditions on later components, which are asked of each entry. Components of arrays are left out: another entry of
    /// the document may satisfy them.
    func filters(_ conditions: [PlannedCondition], behind first: Int) -> [Filter] {
        guard first < index.components.count else { return [] }
        return (first..<index.components.count).flatMap { position -> [Filter] in
            let component = index.components[position]
            guard component.hasOrderOfValues, !component.path.hasArrayStep else { return [] }
            return conditions.compactMap { condition in
                guard let conjunct = condition.conjunct, condition.path == component.path else {
                    return nil
                }
                return Filter(
                    component: position, predicate: condition.predicate, conjunct: conjunct,
                    isExact: condition.predicate.isDecidedByKeys)
            }
        }
    }
}

extension Predicate {
    /// The path of a condition on one path, or of its opposite.
    var entryPath: FieldPath? {
        if case .not(let part) = self { return part.leafPath }
        return leafPath
    }

    /// Whether a key, which does not tell whole doubles from integers, is enough to decide.
    fileprivate var isDecidedByKeys: Bool {
        switch self {
        case .not(let part): part.isDecidedByKeys
        case .compare, .isIn, .exists, .hasPrefix, .contains, .hasMatch, .isBelow, .isDated, .hasDatePart: true
        default: false
        }
    }

    /// Whether an entry with a value at this condition's path can be one of a document that satisfies it.
    ///
    /// - Throws: as ``TextPattern/hasBoundedMatch(in:)``.
    func admits(_ decoded: OrderedValue.Decoded) throws -> Bool {
        if case .not(let part) = self { return try part.isDecidedByKeys ? !part.admits(decoded) : true }
        guard let leaf else { return true }
        switch decoded {
        case .missing: return false
        case .value(let value):
            if case .isCongruent = leaf.condition { return value.numberValue != nil }
            if case .hasKind(let kinds) = leaf.condition, value.numberValue != nil {
                return kinds.contains(.int) || kinds.contains(.double)
            }
            // Within arrays and objects the kinds of numbers are not told apart either.
            if case .satisfies = leaf.condition { return true }
            return try leaf.condition.holdsBounded(value)
        }
    }
}
