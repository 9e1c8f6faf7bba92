// One overload for each number of components, up to four. A single overload with parameter packs compiles, but the
// compiler then treats a literal as an `Int` before it considers the type of the component.

// MARK: - The first components

extension TypedKeyRange {
    /// Returns the keys of two components with this first component.
    public static func prefix<A: KeyElementCodable, B>(_ a: A) -> TypedKeyRange where Key == (A, B) {
        TypedKeyRange(content: .prefix([a]))
    }

    /// Returns the keys of three components with this first component.
    public static func prefix<A: KeyElementCodable, B, C>(_ a: A) -> TypedKeyRange where Key == (A, B, C) {
        TypedKeyRange(content: .prefix([a]))
    }

    /// Returns the keys of three components with these first two components.
    public static func prefix<A: KeyElementCodable, B: KeyElementCodable, C>(_ a: A, _ b: B) -> TypedKeyRange
    where Key == (A, B, C) {
        TypedKeyRange(content: .prefix([a, b]))
    }

    /// Returns the keys of four components with this first component.
    public static func prefix<A: KeyElementCodable, B, C, D>(_ a: A) -> TypedKeyRange where Key == (A, B, C, D) {
        TypedKeyRange(content: .prefix([a]))
    }

    /// Returns the keys of four components with these first two components.
    public static func prefix<A: KeyElementCodable, B: KeyElementCodable, C, D>(_ a: A, _ b: B) -> TypedKeyRange
    where Key == (A, B, C, D) {
        TypedKeyRange(content: .prefix([a, b]))
    }

    /// Returns the keys of four components with these first three components.
    public static func prefix<A: KeyElementCodable, B: KeyElementCodable, C: KeyElementCodable, D>(
        _ a: A, _ b: B, _ c: C
    ) -> TypedKeyRange where Key == (A, B, C, D) {
        TypedKeyRange(content: .prefix([a, b, c]))
    }
}

// MARK: - The values of one component

extension TypedKeyRange {
    /// Returns the keys of one component whose value is in a range.
    public static func range(_ values: some ComponentInterval<Key>) -> TypedKeyRange where Key: KeyElementCodable {
        .values([], values)
    }

    /// Returns the keys of two components whose first component is in a range.
    public static func range<A: KeyElementCodable, B>(_ values: some ComponentInterval<A>) -> TypedKeyRange
    where Key == (A, B) {
        .values([], values)
    }

    /// Returns the keys of two components with this first component whose second component is in a range.
    public static func range<A: KeyElementCodable, B: KeyElementCodable>(_ a: A, _ values: some ComponentInterval<B>)
        -> TypedKeyRange where Key == (A, B)
    {
        .values([a], values)
    }

    /// Returns the keys of three components whose first component is in a range.
    public static func range<A: KeyElementCodable, B, C>(_ values: some ComponentInterval<A>) -> TypedKeyRange
    where Key == (A, B, C) {
        .values([], values)
    }

    /// Returns the keys of three components with this first component whose second component is in a range.
    public static func range<A: KeyElementCodable, B: KeyElementCodable, C>(_ a: A, _ values: some ComponentInterval<B>)
        -> TypedKeyRange where Key == (A, B, C)
    {
        .values([a], values)
    }

    /// Returns the keys of three components with these first components whose third component is in a range.
    public static func range<A: KeyElementCodable, B: KeyElementCodable, C: KeyElementCodable>(
        _ a: A, _ b: B, _ values: some ComponentInterval<C>
    ) -> TypedKeyRange where Key == (A, B, C) {
        .values([a, b], values)
    }

    /// Returns the keys of four components whose first component is in a range.
    public static func range<A: KeyElementCodable, B, C, D>(_ values: some ComponentInterval<A>) -> TypedKeyRange
    where Key == (A, B, C, D) {
        .values([], values)
    }

    /// Returns the keys of four components with this first component whose second component is in a range.
    public static func range<A: KeyElementCodable, B: KeyElementCodable, C, D>(
        _ a: A, _ values: some ComponentInterval<B>
    ) -> TypedKeyRange where Key == (A, B, C, D) {
        .values([a], values)
    }

    /// Returns the keys of four components with these first components whose third component is in a range.
    public static func range<A: KeyElementCodable, B: KeyElementCodable, C: KeyElementCodable, D>(
        _ a: A, _ b: B, _ values: some ComponentInterval<C>
    ) -> TypedKeyRange where Key == (A, B, C, D) {
        .values([a, b], values)
    }

    /// Returns the keys of four components with these first components whose fourth component is in a range.
    public static func range<A: KeyElementCodable, B: KeyElementCodable, C: KeyElementCodable, D: KeyElementCodable>(
        _ a: A, _ b: B, _ c: C, _ values: some ComponentInterval<D>
    ) -> TypedKeyRange where Key == (A, B, C, D) {
        .values([a, b, c], values)
    }
}
