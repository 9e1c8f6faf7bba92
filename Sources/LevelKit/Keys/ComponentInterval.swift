/// An interval of values of a component. All of Swift's range types conform.
public protocol ComponentInterval<Bound> {
    /// The type of the component.
    associatedtype Bound
    /// The lower and the upper bound.
    var componentBounds: (lower: ComponentBound<Bound>, upper: ComponentBound<Bound>) { get }
}

/// An end of a ``ComponentInterval``.
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
    /// From the lower bound up to, but not including, the upper bound.
    public var componentBounds: (lower: ComponentBound<Bound>, upper: ComponentBound<Bound>) {
        (.included(lowerBound), .excluded(upperBound))
    }
}

extension ClosedRange: ComponentInterval {
    /// From the lower bound up to and including the upper bound.
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
    /// Up to, but not including, the upper bound.
    public var componentBounds: (lower: ComponentBound<Bound>, upper: ComponentBound<Bound>) {
        (.unbounded, .excluded(upperBound))
    }
}

extension PartialRangeThrough: ComponentInterval {
    /// Up to and including the upper bound.
    public var componentBounds: (lower: ComponentBound<Bound>, upper: ComponentBound<Bound>) {
        (.unbounded, .included(upperBound))
    }
}
