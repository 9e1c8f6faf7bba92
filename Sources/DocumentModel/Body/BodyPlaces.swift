/// Finds the positions of values in a document body. Names are numbers here; functions that decode a value take the
/// table of names.
///
/// See ``BodyReader`` for results, damage and cost.
package struct BodyPlaces: ~Escapable {
    private let bytes: Span<UInt8>

    /// Creates a reader of `body`, which it borrows.
    ///
    /// - Throws: ``BodyError`` if the body is empty or of another version.
    @_lifetime(copy body)
    package init(_ body: Span<UInt8>) throws(BodyError) {
        var cursor = BodyCursor(body)
        try cursor.readVersion()
        bytes = body
    }

    /// Returns the value at `path`; `nil` if there is none.
    package func value(at path: ResolvedPath, names: FieldNames) throws(BodyError) -> DocumentValue? {
        guard path.path.hasArrayStep else {
            return try place(at: path).map { (place) throws(BodyError) in try value(at: place, names) }
        }
        var found: DocumentValue?
        _ = try anyElement(at: path, names: names) { value in
            found = value
            return true
        }
        return found
    }

    /// Returns whether any value at `path` satisfies `condition`. The visit ends at the first one that does.
    func anyElement(
        at path: ResolvedPath, names: FieldNames, where condition: (DocumentValue) -> Bool
    ) throws(BodyError) -> Bool {
        try anyPlace(from: root, along: path.steps) { (place) throws(BodyError) in
            condition(try value(at: place, names))
        }
    }
}

// MARK: - Encoded values

extension BodyPlaces {
    /// Returns whether any value at `path` satisfies a condition. A value is decoded only if the condition requires it.
    ///
    /// - Throws: ``BodyError`` if the data along the path, or the part of the value that is read, is damaged; the
    ///   errors of the condition.
    package func anyElement(
        at path: ResolvedPath, satisfies condition: some EncodedCondition, names: FieldNames
    ) throws -> Bool {
        if let number = path.onlyNumber {
            guard let place = try member(numbered: number) else { return false }
            if let answer = try condition.holds(in: bytes, at: place.offset, before: place.end) { return answer }
            return try condition.holdsBounded(try value(at: place, names))
        }
        var failure: (any Error)?
        let isFound = try anyPlace(from: root, along: path.steps) { (place) throws(BodyError) in
            if let answer = try condition.holds(in: bytes, at: place.offset, before: place.end) { return answer }
            let value = try value(at: place, names)
            do {
                return try condition.holdsBounded(value)
            } catch {
                failure = error
                return true
            }
        }
        if let failure { throw failure }
        return isFound
    }

    /// Appends the value at `path` in the encoding of index keys. If there is none, appends the encoding of an absent
    /// value.
    ///
    /// - Throws: ``BodyError`` if the data along the path, or the value, is damaged.
    package func appendOrdered(at path: ResolvedPath, names: FieldNames, to key: inout [UInt8]) throws(BodyError) {
        guard path.onlyNumber != nil || !path.path.hasArrayStep, let place = try place(at: path) else {
            OrderedValue.append(path.path.hasArrayStep ? try value(at: path, names: names) : nil, to: &key)
            return
        }
        guard place.offset < place.end, BodyFormat.isText(bytes[place.offset]) else {
            OrderedValue.append(try value(at: place, names), to: &key)
            return
        }
        var cursor = BodyCursor(bytes, offset: place.offset)
        OrderedValue.append(utf8: bytes.extracting(try cursor.readTextRange(before: place.end)), to: &key)
    }

    /// Returns the positions of the distinct strings at `path`; `nil` if it also leads to other values, or to many
    /// distinct strings.
    ///
    /// - Throws: ``BodyError`` if the data along the path, or a string, is damaged.
    package func distinctTexts(at path: ResolvedPath) throws(BodyError) -> [Range<Int>]? {
        var texts: [Range<Int>] = []
        let hasOthers = try anyPlace(from: root, along: path.steps) { (place) throws(BodyError) in
            guard let text = try textRange(at: place) else { return true }
            for known in texts where known.count == text.count {
                if bytes.extracting(known).hasSameBytes(as: bytes.extracting(text)) { return false }
            }
            texts.append(text)
            // Limits the cost of comparing each string with all earlier ones.
            return texts.count > 64
        }
        return hasOthers ? nil : texts
    }

    /// Returns the positions of the strings and ints at `path`; `nil` if it also leads to other values. The bytes of equal
    /// ones are equal.
    ///
    /// - Throws: ``BodyError`` if the data along the path, or a value, is damaged.
    package func textsAndInts(at path: ResolvedPath) throws(BodyError) -> [Range<Int>]? {
        var values: [Range<Int>] = []
        let hasOthers = try anyPlace(from: root, along: path.steps) { (place) throws(BodyError) in
            if let text = try textRange(at: place) {
                values.append(text)
            } else if let int = try intRange(at: place) {
                values.append(int)
            } else {
                return true
            }
            return false
        }
        return hasOthers ? nil : values
    }

    /// Returns the position of a string with its tag and length; `nil` for another value. The bytes of equal strings are
    /// equal.
    private func textRange(at place: Place) throws(BodyError) -> Range<Int>? {
        guard place.offset < place.end, BodyFormat.isText(bytes[place.offset]) else { return nil }
        var cursor = BodyCursor(bytes, offset: place.offset)
        return place.offset..<(try cursor.readTextRange(before: place.end).upperBound)
    }

    /// Returns the position of an int with its tag; `nil` for another value.
    private func intRange(at place: Place) throws(BodyError) -> Range<Int>? {
        guard place.offset < place.end, BodyFormat.kind(ofTag: bytes[place.offset]) == .int else { return nil }
        var cursor = BodyCursor(bytes, offset: place.offset)
        try cursor.skipValue(before: place.end)
        return place.offset..<cursor.offset
    }

    /// Returns the position in the body of the value at `path`; `nil` if there is none. The path must not contain `[]`.
    ///
    /// - Throws: ``BodyError`` if the data along the path is damaged, or the end of the value cannot be determined.
    package func range(of path: ResolvedPath) throws(BodyError) -> Range<Int>? {
        guard let place = try place(at: path) else { return nil }
        if place.isDigest { return place.offset..<place.offset + 1 + Attachment.Digest.byteCount }
        var cursor = BodyCursor(bytes, offset: place.offset)
        try cursor.skipValue(before: place.end)
        return place.offset..<cursor.offset
    }
}

// MARK: - Steps

extension BodyPlaces {
    /// A value in the body, and the next step of a path.
    private struct Place {
        var offset: Int
        /// The end of the innermost array or object that contains the value.
        var end: Int
        var step: Int
        /// Whether the value is the digest of an attachment, whose tag is invalid elsewhere.
        var isDigest = false
    }

    // The root value follows the version, which is one byte.
    private var root: Place { Place(offset: 1, end: bytes.count, step: 0) }

    /// Returns the position of the value at a path without `[]`, or of the array at its first `[]`; `nil` if there is
    /// none.
    private func place(at path: ResolvedPath) throws(BodyError) -> Place? {
        if let number = path.onlyNumber { return try member(numbered: number) }
        return try withoutBranches(from: root, along: path.steps)
    }

    /// Returns the member of the root object whose name has this number; `nil` if there is none.
    private func member(numbered number: Int) throws(BodyError) -> Place? {
        let place = root
        guard place.offset < place.end else { throw BodyError(.truncated, at: place.offset) }
        guard BodyFormat.Tag.object...BodyFormat.Tag.lastObject ~= bytes[place.offset] else { return nil }
        var cursor = BodyCursor(bytes, offset: place.offset + 1)
        let object = try cursor.readObject(tag: bytes[place.offset], before: place.end)
        return try member(numbered: number, of: object, at: place)
    }

    private func member(numbered number: Int, of object: BodyObject, at place: Place) throws(BodyError) -> Place? {
        guard let position = position(of: number, in: object) else { return nil }
        let offset = object.valuesStart + object.offset(at: position, in: bytes)
        guard offset < object.end else { throw BodyError(.invalidObjectTable, at: place.offset) }
        return Place(offset: offset, end: object.end, step: place.step + 1)
    }

    // As in `FieldPath`, it recurses only at arrays.
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

    /// Follows the steps that lead to at most one value: up to the end of the path, or to a `[]` at an array. Returns
    /// `nil` if there is no value.
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
                guard BodyFormat.Tag.object...BodyFormat.Tag.lastObject ~= tag else {
                    guard tag == BodyFormat.Tag.attachment,
                        let member = try attachmentMember(steps[place.step], at: place)
                    else { return nil }
                    place = member
                    continue
                }
                guard let member = try member(steps[place.step], at: place) else { return nil }
                place = member
            }
        }
        return place
    }

    private func value(at place: Place, _ names: FieldNames) throws(BodyError) -> DocumentValue {
        var cursor = BodyCursor(bytes, offset: place.offset)
        if place.isDigest { return try BodyDecoder.readValueOrDigest(&cursor, before: place.end, names) }
        return try BodyDecoder.readValue(&cursor, before: place.end, names)
    }

    /// Returns the first element of the array at `array`, and the number of elements.
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

    /// Returns the value of a member of the object at `place`; `nil` if there is none.
    private func member(_ step: ResolvedPath.Step, at place: Place) throws(BodyError) -> Place? {
        var cursor = BodyCursor(bytes, offset: place.offset + 1)
        let object = try cursor.readObject(tag: bytes[place.offset], before: place.end)
        switch step {
        case .number(let number, _): return try member(numbered: number, of: object, at: place)
        case .inlineName(let name): return try member(named: name, of: object, at: place)
        case .eachElement: return nil
        }
    }

    /// Returns the value of a member of the attachment at `place`; `nil` if there is none.
    @inline(never)
    private func attachmentMember(_ step: ResolvedPath.Step, at place: Place) throws(BodyError) -> Place? {
        let member: Attachment.Member? =
            switch step {
            case .number(_, let member): member
            case .inlineName(let name): Attachment.Member(pathName: name)
            case .eachElement: nil
            }
        guard let member else { return nil }
        var cursor = BodyCursor(bytes, offset: place.offset)
        guard let end = try cursor.findMember(member, before: place.end) else { return nil }
        return Place(offset: cursor.offset, end: end, step: place.step + 1, isDigest: member == .sha256)
    }

    /// Returns the position of a number in the table of an object; `nil` if it is not found.
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

    /// Returns the member with an inlined name. Such members are last in the table.
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
