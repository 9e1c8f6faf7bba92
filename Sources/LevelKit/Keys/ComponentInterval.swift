/// An interval of values of a component. All of Swift's range types conform, and ``TextPrefix``.
public protocol ComponentInterval<Bound> {
    /// The type of the component.
    associatedtype Bound
    /// The lower and the upper bound.
    var componentBounds: (lower: KeyBound<any KeyElementCodable>, upper: KeyBound<any KeyElementCodable>) { get }
}

extension Range: ComponentInterval where Bound: KeyElementCodable {
    /// From the lower bound up to, but not including, the upper bound.
    public var componentBounds: (lower: KeyBound<any KeyElementCodable>, upper: KeyBound<any KeyElementCodable>) {
        (.included(lowerBound), .excluded(upperBound))
    }
}

extension ClosedRange: ComponentInterval where Bound: KeyElementCodable {
    /// From the lower bound up to and including the upper bound.
    public var componentBounds: (lower: KeyBound<any KeyElementCodable>, upper: KeyBound<any KeyElementCodable>) {
        (.included(lowerBound), .included(upperBound))
    }
}

extension PartialRangeFrom: ComponentInterval where Bound: KeyElementCodable {
    /// From the lower bound.
    public var componentBounds: (lower: KeyBound<any KeyElementCodable>, upper: KeyBound<any KeyElementCodable>) {
        (.included(lowerBound), .unbounded)
    }
}

extension PartialRangeUpTo: ComponentInterval where Bound: KeyElementCodable {
    /// Up to, but not including, the upper bound.
    public var componentBounds: (lower: KeyBound<any KeyElementCodable>, upper: KeyBound<any KeyElementCodable>) {
        (.unbounded, .excluded(upperBound))
    }
}

extension PartialRangeThrough: ComponentInterval where Bound: KeyElementCodable {
    /// Up to and including the upper bound.
    public var componentBounds: (lower: KeyBound<any KeyElementCodable>, upper: KeyBound<any KeyElementCodable>) {
        (.unbounded, .included(upperBound))
    }
}
