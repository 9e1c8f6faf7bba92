/// Finds single values in a document body without decoding the rest.
///
/// The answers are those of decoding the body and asking the ``FieldPath``. What lies off the path is passed over and not
/// checked, so damage there goes unnoticed; ``BodyDecoder`` checks all of it. Damage on the path throws, and no bytes
/// make it trap.
///
/// A path that is asked of many bodies is best resolved once, as ``ResolvedPath``.
public struct BodyReader: ~Escapable {
    private let bytes: Span<UInt8>
    private let names: FieldNames

    /// A reader of `body`, which it borrows.
    ///
    /// - Parameter names: the table the body was written with, or a later one.
    /// - Throws: ``BodyError`` if the body is empty or of another version.
    /// - Complexity: O(1).
    @_lifetime(copy body)
    public init(_ body: Span<UInt8>, names: FieldNames) throws(BodyError) {
        var cursor = BodyCursor(body)
        try cursor.readVersion()
        bytes = body
        self.names = names
    }

    /// The value `path` leads to; `nil` if it leads nowhere. See ``FieldPath/value(in:)-(DocumentObject)``.
    ///
    /// - Throws: ``BodyError`` if what the path leads through is damaged.
    /// - Complexity: O(log *n*) in the members of each object on the way, and O(*n*) in the elements of an array that
    ///   the path goes through; independent of the sizes of what is passed over.
    public func value(at path: ResolvedPath) throws(BodyError) -> DocumentValue? {
        guard path.path.hasArrayStep else {
            return try withoutBranches(from: root, along: path.steps).map { (place) throws(BodyError) in
                try value(at: place)
            }
        }
        var found: DocumentValue?
        _ = try anyElement(at: path) { value in
            found = value
            return true
        }
        return found
    }

    /// The value `path` leads to; see ``value(at:)-(ResolvedPath)``.
    public func value(at path: FieldPath) throws(BodyError) -> DocumentValue? {
        try value(at: ResolvedPath(path, names: names))
    }

    /// Visits each value `path` leads to, in the order of the document; see
    /// ``FieldPath/forEachElement(in:_:)-(DocumentObject,_)``.
    ///
    /// - Throws: ``BodyError`` if what the path leads through is damaged, perhaps after some visits.
    public func forEachElement(at path: ResolvedPath, _ body: (DocumentValue) -> Void) throws(BodyError) {
        _ = try anyElement(at: path) { value in
            body(value)
            return false
        }
    }

    /// Visits each value `path` leads to; see ``forEachElement(at:_:)-(ResolvedPath,_)``.
    public func forEachElement(at path: FieldPath, _ body: (DocumentValue) -> Void) throws(BodyError) {
        try forEachElement(at: ResolvedPath(path, names: names), body)
    }

    /// Whether a value `path` leads to satisfies `condition`; the visit ends at the first that does.
    ///
    /// - Throws: ``BodyError`` if what the path leads through is damaged.
    public func anyElement(
        at path: ResolvedPath, where condition: (DocumentValue) -> Bool
    ) throws(BodyError) -> Bool {
        try anyPlace(from: root, along: path.steps) { (place) throws(BodyError) in condition(try value(at: place)) }
    }

    /// Whether a value `path` leads to satisfies `condition`; see ``anyElement(at:where:)-(ResolvedPath,_)``.
    public func anyElement(
        at path: FieldPath, where condition: (DocumentValue) -> Bool
    ) throws(BodyError) -> Bool {
        try anyElement(at: ResolvedPath(path, names: names), where: condition)
    }
}

// MARK: - Encoded values

extension BodyReader {
    /// Whether a value `path` leads to satisfies a condition; it is decoded only where the condition needs that.
    ///
    /// - Throws: ``BodyError`` if what the path leads through, or what is read of the value, is damaged.
    func anyElement(at path: ResolvedPath, satisfies condition: ValueCondition) throws(BodyError) -> Bool {
        try anyPlace(from: root, along: path.steps) { (place) throws(BodyError) in
            if let answer = try condition.holds(in: bytes, at: place.offset, before: place.end) { return answer }
            return condition.holds(try value(at: place))
        }
    }

    /// Adds the value `path` leads to as index keys have it; that of an absent one if it leads nowhere.
    ///
    /// - Throws: ``BodyError`` if what the path leads through, or the value, is damaged.
    func appendOrdered(at path: ResolvedPath, to key: inout [UInt8]) throws(BodyError) {
        guard !path.path.hasArrayStep, let place = try withoutBranches(from: root, along: path.steps) else {
            OrderedValue.append(path.path.hasArrayStep ? try value(at: path) : nil, to: &key)
            return
        }
        guard place.offset < place.end, BodyFormat.isText(bytes[place.offset]) else {
            OrderedValue.append(try value(at: place), to: &key)
            return
        }
        var cursor = BodyCursor(bytes, offset: place.offset)
        OrderedValue.append(utf8: bytes.extracting(try cursor.readTextRange(before: place.end)), to: &key)
    }

    /// Where the texts lie that `path` leads to, each distinct one once; `nil` if it leads to something else as well.
    ///
    /// - Throws: ``BodyError`` if what the path leads through, or a text, is damaged.
    func distinctTexts(at path: ResolvedPath) throws(BodyError) -> [Range<Int>]? {
        var texts: [Range<Int>] = []
        let hasOthers = try anyPlace(from: root, along: path.steps) { (place) throws(BodyError) in
            guard place.offset < place.end, BodyFormat.isText(bytes[place.offset]) else { return true }
            var cursor = BodyCursor(bytes, offset: place.offset)
            let text = try cursor.readTextRange(before: place.end)
            // The text with its tag, which holds its length: those of equal texts are equal.
            let whole = place.offset..<text.upperBound
            for known in texts where known.count == whole.count {
                if bytes.extracting(known).hasSameBytes(as: bytes.extracting(whole)) { return false }
            }
            texts.append(whole)
            // Each is compared with all before it.
            return texts.count > 64
        }
        return hasOthers ? nil : texts
    }

    /// Where in the body the value lies that `path` leads to; `nil` if it leads nowhere. The path has no `[]`.
    ///
    /// - Throws: ``BodyError`` if what the path leads through is damaged, or where the value ends cannot be known.
    func range(of path: ResolvedPath) throws(BodyError) -> Range<Int>? {
        guard let place = try withoutBranches(from: root, along: path.steps) else { return nil }
        var cursor = BodyCursor(bytes, offset: place.offset)
        try cursor.skipValue(before: place.end)
        return place.offset..<cursor.offset
    }
}

// MARK: - Steps

extension BodyReader {
    /// A value in the body, and the step of a path that comes next.
    private struct Place {
        var offset: Int
        /// Where the innermost array or object around the value ends.
        var end: Int
        var step: Int
    }

    // The version is one byte.
    private var root: Place { Place(offset: 1, end: bytes.count, step: 0) }

    // As in `FieldPath`, it recurses only where there are several ways to go.
    private func anyPlace(
        from start: Place, along steps: [ResolvedPath.Step], where condition: (Place) throws(BodyError) -> Bool
    ) throws(BodyError) -> Bool {
        guard let place = try withoutBranches(from: start, along: steps) else { return false }
        guard place.step < steps.count else { return try condition(place) }
        var next = try firstElement(at: place)
        for _ in 0..<next.count {
            if try anyPlace(from: next.place, along: steps, where: condition) { return true }
            try skipElement(at: &next.place)
        }
        return false
    }

    /// Follows the steps that lead to no more than one value: up to the end of the path, or to a `[]` that stands
    /// before an array. `nil` if they lead nowhere.
    private func withoutBranches(
        from start: Place, along steps: [ResolvedPath.Step]
    ) throws(BodyError) -> Place? {
        var place = start
        while place.step < steps.count {
            guard place.offset < place.end else { throw BodyError(.truncated, at: place.offset) }
            let tag = bytes[place.offset]
            if case .eachElement = steps[place.step] {
                if tag == BodyFormat.Tag.array { return place }
                if tag == BodyFormat.Tag.null { return nil }
                place.step += 1
            } else {
                guard BodyFormat.Tag.object...BodyFormat.Tag.lastObject ~= tag,
                    let member = try member(steps[place.step], at: place)
                else { return nil }
                place = member
            }
        }
        return place
    }

    private func value(at place: Place) throws(BodyError) -> DocumentValue {
        var cursor = BodyCursor(bytes, offset: place.offset)
        return try BodyDecoder.readValue(&cursor, before: place.end, names)
    }

    /// The first element of the array at `array`, and how many there are.
    private func firstElement(at array: Place) throws(BodyError) -> (place: Place, count: Int) {
        var cursor = BodyCursor(bytes, offset: array.offset + 1)
        let (end, count) = try cursor.readContainer(before: array.end)
        return (Place(offset: cursor.offset, end: end, step: array.step + 1), count)
    }

    private func skipElement(at place: inout Place) throws(BodyError) {
        var cursor = BodyCursor(bytes, offset: place.offset)
        try cursor.skipValue(before: place.end)
        place.offset = cursor.offset
    }

    /// The value of a member of the object at `place`; `nil` if there is none.
    private func member(_ step: ResolvedPath.Step, at place: Place) throws(BodyError) -> Place? {
        var cursor = BodyCursor(bytes, offset: place.offset + 1)
        let object = try cursor.readObject(tag: bytes[place.offset], before: place.end)
        switch step {
        case .number(let number):
            guard let position = position(of: number, in: object) else { return nil }
            let offset = object.valuesStart + object.offset(at: position, in: bytes)
            guard offset < object.end else { throw BodyError(.invalidObjectTable, at: place.offset) }
            return Place(offset: offset, end: object.end, step: place.step + 1)
        case .inlineName(let name): return try member(named: name, of: object, at: place)
        case .eachElement: return nil
        }
    }

    /// The place of a number in the table of an object; `nil` if it is not there.
    private func position(of number: Int, in object: BodyObject) -> Int? {
        var lower = 0
        var upper = object.count
        while lower < upper {
            let middle = (lower &+ upper) / 2
            let found = object.number(at: middle, in: bytes)
            if found == number { return middle }
            if found < number { lower = middle &+ 1 } else { upper = middle }
        }
        return nil
    }

    /// The member of a name that is written out: those stand last in the table.
    private func member(named name: String, of object: BodyObject, at place: Place) throws(BodyError) -> Place? {
        var position = object.count
        while position > 0, object.number(at: position - 1, in: bytes) == BodyFormat.inlineName {
            position -= 1
            var cursor = BodyCursor(bytes, offset: object.valuesStart + object.offset(at: position, in: bytes))
            let found = try cursor.readString(before: object.end)
            if found.hasSameBytes(as: name) {
                return Place(offset: cursor.offset, end: object.end, step: place.step + 1)
            }
        }
        return nil
    }
}
