extension TupleEncoder {
    /// Appends an element.
    ///
    /// - Precondition: its nesting does not exceed ``Tuple/maximumDepth``.
    /// - Complexity: O(n) in the appended bytes, times the number of enclosing descending elements.
    public static func append(_ element: Tuple.Element, to key: inout [UInt8]) {
        append(element, nested: false, depth: 0, to: &key)
    }

    /// Appends all elements of a tuple as separate elements of the key.
    ///
    /// - Precondition: its nesting does not exceed ``Tuple/maximumDepth``.
    public static func append(contentsOf tuple: Tuple, to key: inout [UInt8]) {
        for element in tuple.elements { append(element, nested: false, depth: 0, to: &key) }
    }

    /// Appends a tuple as a single element.
    ///
    /// - Precondition: its nesting does not exceed ``Tuple/maximumDepth``.
    public static func append(nested tuple: Tuple, to key: inout [UInt8]) {
        append(.tuple(tuple), to: &key)
    }

    /// Appends a nested tuple of the elements that `content` appends.
    ///
    /// - Parameters:
    ///   - key: the key to append to.
    ///   - content: appends any number of complete elements, nulls with `nested: true`.
    public static func appendNested(to key: inout [UInt8], _ content: (inout [UInt8]) -> Void) {
        key.append(TupleCode.nested)
        content(&key)
        key.append(TupleCode.terminator)
    }

    /// Appends the element that `content` appends, in descending order.
    ///
    /// The encoding is the code `40`, followed by the complement of every byte of the element. If the element ends with
    /// a terminator, a second `00` is added before complementing, so that the encoding ends with `ff ff`:
    ///
    /// | element | its bytes | descending |
    /// |---|---|---|
    /// | `null` | `00` | `40 ff` |
    /// | `1` | `15 01` | `40 ea fe` |
    /// | `"a"` | `02 61 00` | `40 fd 9e ff ff` |
    /// | `"a\0"` | `02 61 00 ff 00` | `40 fd 9e ff 00 ff ff` |
    ///
    /// The second `00` is needed because `02 61 00` is also a prefix of the encoding of `"a\0"`. In ascending order the
    /// next byte resolves this, because elements never start with `ff`. Complemented, a following element that starts
    /// with `00`, or the end of the enclosing tuple, would look like the rest of an escaped NUL, and at the end of a
    /// key the shorter bytes would sort first. With the second `00`, no encoding is a prefix of another. The end is
    /// then found without looking at the following bytes, and two different elements differ within both, where the
    /// complement reverses their order. Fixed-size and descending elements already have this property. No element
    /// starts with `ff`, since the code is `40`.
    ///
    /// - Parameters:
    ///   - key: the key to append to.
    ///   - content: appends exactly one complete element, a null without `nested`.
    public static func appendDescending(to key: inout [UInt8], _ content: (inout [UInt8]) -> Void) {
        key.append(TupleCode.descending)
        let start = key.count
        content(&key)
        precondition(key.count > start, "The closure of appendDescending must append an element; it appended none.")
        if TupleCode.endsAtTerminator(key[start]) { key.append(TupleCode.terminator) }
        for index in start..<key.count { key[index] = ~key[index] }
    }

    /// Appends an element at nesting level `depth`, inside a nested tuple or not.
    private static func append(_ element: Tuple.Element, nested: Bool, depth: Int, to key: inout [UInt8]) {
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

    /// Returns the next nesting level.
    private static func deeper(_ depth: Int) -> Int {
        precondition(
            depth < Tuple.maximumDepth,
            "A tuple for a key nests deeper than \(Tuple.maximumDepth) levels; no decoder would read the key again."
        )
        return depth + 1
    }
}
