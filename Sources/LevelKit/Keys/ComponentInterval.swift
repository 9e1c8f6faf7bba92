/// The values of one component between two bounds: any of Swift's ranges.
public protocol ComponentInterval<Bound> {
    /// The type of the component.
    associatedtype Bound
    /// The smallest and the largest value.
    var componentBounds: (lower: ComponentBound<Bound>, upper: ComponentBound<Bound>) { get }
}

/// One end of a ``ComponentInterval``.
public enum ComponentBound<Value> {
    /// The interval has no limit at this end.
    case unbounded
    /// The interval ends at this value and contains it.
    case included(Value)
    /// The interval ends at this value and does not contain it.
    case excluded(Value)
}

extension ComponentBound: Sendable where Value: Sendable {}

extension Range: ComponentInterval {
    /// From the lower bound up to, not including, the upper.
    public var componentBounds: (lower: ComponentBound<Bound>, upper: ComponentBound<Bound>) {
        (.included(lowerBound), .excluded(upperBound))
    }
}

extension ClosedRange: ComponentInterval {
    /// From the lower bound up to the upper.
    public var componentBounds: (lower: ComponentBound<Bound>, upper: ComponentBound<Bound>) {
        (.included(lowerBound), .included(upperBound))
    }
}

extension PartialRangeFrom: ComponentInterval {
    /// From the lower bound.
    public var componentBounds: (lower: ComponentBound<Bound>, upper: ComponentBound<Bound>) {
        (.included(lowerBound), .unbounded)
    }
}

extension PartialRangeUpTo: ComponentInterval {
    /// Up to, not including, the upper bound.
    public var componentBounds: (lower: ComponentBound<Bound>, upper: ComponentBound<Bound>) {
        (.unbounded, .excluded(upperBound))
    }
}

extension PartialRangeThrough: ComponentInterval {
    /// Up to the upper bound.
    public var componentBounds: (lower: ComponentBound<Bound>, upper: ComponentBound<Bound>) {
        (.unbounded, .included(upperBound))
    }
}
