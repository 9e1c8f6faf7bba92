extension TupleEncoder {
    /// Appends an element.
    ///
    /// - Precondition: Nothing in it lies deeper than ``Tuple/maximumDepth``.
    /// - Complexity: O(n) in the bytes appended, times the number of descending elements around them.
    public static func append(_ element: TupleElement, to key: inout [UInt8]) {
        append(element, nested: false, depth: 0, to: &key)
    }

    /// Appends all elements of a tuple, each as an element of the key.
    ///
    /// - Precondition: Nothing in it lies deeper than ``Tuple/maximumDepth``.
    public static func append(contentsOf tuple: Tuple, to key: inout [UInt8]) {
        for element in tuple.elements { append(element, nested: false, depth: 0, to: &key) }
    }

    /// Appends a tuple as one element.
    ///
    /// - Precondition: Nothing in it lies deeper than ``Tuple/maximumDepth``.
    public static func append(nested tuple: Tuple, to key: inout [UInt8]) {
        append(.tuple(tuple), to: &key)
    }

    /// Appends a nested tuple of the elements that `content` appends.
    ///
    /// - Parameter content: Appends any number of complete elements, nulls with `nested: true`.
    public static func appendNested(to key: inout [UInt8], _ content: (inout [UInt8]) -> Void) {
        key.append(TupleCode.nested)
        content(&key)
        key.append(TupleCode.terminator)
    }

    /// Appends, in reversed order, the one element that `content` appends.
    ///
    /// The encoding is the code `40` and the complement of every byte of the element. If the element ends at a
    /// terminator, a second `00` goes before the complement, so that the reversed one ends with `ff ff`:
    ///
    /// | element | its bytes | descending |
    /// |---|---|---|
    /// | `null` | `00` | `40 ff` |
    /// | `1` | `15 01` | `40 ea fe` |
    /// | `"a"` | `02 61 00` | `40 fd 9e ff ff` |
    /// | `"a\0"` | `02 61 00 ff 00` | `40 fd 9e ff 00 ff ff` |
    ///
    /// Why the second one: `02 61 00` is how the encoding of `"a\0"` begins too. Ascending, the next byte settles that,
    /// for no element begins with `ff`. Complemented it would not: an element that begins with `00`, or the end of the
    /// tuple around, would pass for the rest of an escaped NUL, and at the end of a key the shorter bytes would come
    /// first. With the second `00` no element's bytes begin another's; so the end is found without a look at what
    /// follows, and two different elements differ within both, where the complement reverses them. Fixed-size
    /// elements and descending ones have that property by themselves. Nothing begins with `ff`, since `40` does not.
    ///
    /// - Parameter content: Appends exactly one complete element, a null without `nested`.
    public static func appendDescending(to key: inout [UInt8], _ content: (inout [UInt8]) -> Void) {
        key.append(TupleCode.descending)
        let start = key.count
        content(&key)
        precondition(key.count > start, "The closure of appendDescending must append an element; it appended none.")
        if TupleCode.endsAtTerminator(key[start]) { key.append(TupleCode.terminator) }
        for index in start..<key.count { key[index] = ~key[index] }
    }

    /// Appends an element that lies `depth` levels deep, in a nested tuple or not.
    private static func append(_ element: TupleElement, nested: Bool, depth: Int, to key: inout [UInt8]) {
        switch element {
        case .null: appendNull(nested: nested, to: &key)
        case .bytes(let value): append(value, to: &key)
        case .string(let value): append(value, to: &key)
        case .int(let value): append(value, to: &key)
        case .bigInteger(let value): append(value, to: &key)
        case .float(let value): append(value, to: &key)
        case .double(let value): append(value, to: &key)
        case .bool(let value): append(value, to: &key)
        case .uuid(let value): append(value, to: &key)
        case .versionstamp(let value): append(value, to: &key)
        case .tuple(let value):
            let inner = deeper(depth)
            appendNested(to: &key) { key in
                for element in value.elements { append(element, nested: true, depth: inner, to: &key) }
            }
        case .descending(let value):
            let inner = deeper(depth)
            appendDescending(to: &key) { key in append(value, nested: false, depth: inner, to: &key) }
        }
    }

    /// The depth one level further down.
    private static func deeper(_ depth: Int) -> Int {
        precondition(
            depth < Tuple.maximumDepth,
            "A tuple for a key nests deeper than \(Tuple.maximumDepth) levels; no decoder would read the key again."
        )
        return depth + 1
    }
}
