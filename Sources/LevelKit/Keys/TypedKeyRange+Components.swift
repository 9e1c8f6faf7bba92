// One overload for each number of components, up to four. A single one over parameter packs compiles, but then the
// compiler takes a literal for an `Int` before it looks at the type of the component.

// MARK: - The first components

extension TypedKeyRange {
    /// Keys of two components whose first component is this.
    public static func prefix<A: KeyElementCodable, B>(_ a: A) -> TypedKeyRange where Key == (A, B) {
        TypedKeyRange(content: .prefix([a]))
    }

    /// Keys of three components whose first component is this.
    public static func prefix<A: KeyElementCodable, B, C>(_ a: A) -> TypedKeyRange where Key == (A, B, C) {
        TypedKeyRange(content: .prefix([a]))
    }

    /// Keys of three components whose first two components are these.
    public static func prefix<A: KeyElementCodable, B: KeyElementCodable, C>(_ a: A, _ b: B) -> TypedKeyRange
    where Key == (A, B, C) {
        TypedKeyRange(content: .prefix([a, b]))
    }

    /// Keys of four components whose first component is this.
    public static func prefix<A: KeyElementCodable, B, C, D>(_ a: A) -> TypedKeyRange where Key == (A, B, C, D) {
        TypedKeyRange(content: .prefix([a]))
    }

    /// Keys of four components whose first two components are these.
    public static func prefix<A: KeyElementCodable, B: KeyElementCodable, C, D>(_ a: A, _ b: B) -> TypedKeyRange
    where Key == (A, B, C, D) {
        TypedKeyRange(content: .prefix([a, b]))
    }

    /// Keys of four components whose first three components are these.
    public static func prefix<A: KeyElementCodable, B: KeyElementCodable, C: KeyElementCodable, D>(
        _ a: A, _ b: B, _ c: C
    ) -> TypedKeyRange where Key == (A, B, C, D) {
        TypedKeyRange(content: .prefix([a, b, c]))
    }
}

// MARK: - The values of one component

extension TypedKeyRange {
    /// Keys of one component whose value lies in a range.
    public static func range(_ values: some ComponentInterval<Key>) -> TypedKeyRange where Key: KeyElementCodable {
        .values([], values)
    }

    /// Keys of two components whose first lies in a range.
    public static func range<A: KeyElementCodable, B>(_ values: some ComponentInterval<A>) -> TypedKeyRange
    where Key == (A, B) {
        .values([], values)
    }

    /// Keys of two components whose second lies in a range and whose first is this.
    public static func range<A: KeyElementCodable, B: KeyElementCodable>(_ a: A, _ values: some ComponentInterval<B>)
        -> TypedKeyRange where Key == (A, B)
    {
        .values([a], values)
    }

    /// Keys of three components whose first lies in a range.
    public static func range<A: KeyElementCodable, B, C>(_ values: some ComponentInterval<A>) -> TypedKeyRange
    where Key == (A, B, C) {
        .values([], values)
    }

    /// Keys of three components whose second lies in a range and whose first is this.
    public static func range<A: KeyElementCodable, B: KeyElementCodable, C>(_ a: A, _ values: some ComponentInterval<B>)
        -> TypedKeyRange where Key == (A, B, C)
    {
        .values([a], values)
    }

    /// Keys of three components whose third lies in a range and whose first ones are these.
    public static func range<A: KeyElementCodable, B: KeyElementCodable, C: KeyElementCodable>(
        _ a: A, _ b: B, _ values: some ComponentInterval<C>
    ) -> TypedKeyRange where Key == (A, B, C) {
        .values([a, b], values)
    }

    /// Keys of four components whose first lies in a range.
    public static func range<A: KeyElementCodable, B, C, D>(_ values: some ComponentInterval<A>) -> TypedKeyRange
    where Key == (A, B, C, D) {
        .values([], values)
    }

    /// Keys of four components whose second lies in a range and whose first is this.
    public static func range<A: KeyElementCodable, B: KeyElementCodable, C, D>(
        _ a: A, _ values: some ComponentInterval<B>
    ) -> TypedKeyRange where Key == (A, B, C, D) {
        .values([a], values)
    }

    /// Keys of four components whose third lies in a range and whose first ones are these.
    public static func range<A: KeyElementCodable, B: KeyElementCodable, C: KeyElementCodable, D>(
        _ a: A, _ b: B, _ values: some ComponentInterval<C>
    ) -> TypedKeyRange where Key == (A, B, C, D) {
        .values([a, b], values)
    }

    /// Keys of four components whose fourth lies in a range and whose first ones are these.
    public static func range<A: KeyElementCodable, B: KeyElementCodable, C: KeyElementCodable, D: KeyElementCodable>(
        _ a: A, _ b: B, _ c: C, _ values: some ComponentInterval<D>
    ) -> TypedKeyRange where Key == (A, B, C, D) {
        .values([a, b, c], values)
    }
}
