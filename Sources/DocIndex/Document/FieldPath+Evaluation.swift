extension FieldPath {
    /// The value the path leads to; `nil` if a member on the way is absent, or a name is asked of something that is
    /// no object (an array included: elements are reached by `[]` only).
    ///
    /// A member that is `null` gives ``DocumentValue/null``. With `[]` in the path: the first value that
    /// ``forEachElement(in:_:)-(DocumentObject,_)`` visits, `nil` if it visits none.
    ///
    /// - Complexity: that of one lookup by name for each step.
    public func value(in document: DocumentObject) -> DocumentValue? {
        var found: DocumentValue?
        _ = anyElement(in: document) { value in
            found = value
            return true
        }
        return found
    }

    /// The value the path leads to from `value`; see ``value(in:)-(DocumentObject)``.
    public func value(in value: DocumentValue) -> DocumentValue? {
        value.objectValue.flatMap { self.value(in: $0) }
    }

    /// Visits each value the path leads to, in the order of the document.
    ///
    /// Where the path says `[]`, a value that is no array counts as an array of this one value (`exiftool` and XMP
    /// write a list of one that way); `null` and an absent member count as an array without elements. A `null` that
    /// is an element, or that a path ends on without `[]`, is visited like any other value.
    ///
    /// - Throws: what `body` throws; the visit ends there.
    /// - Complexity: O(*n*) in the number of elements passed.
    public func forEachElement<Failure: Error>(
        in document: DocumentObject, _ body: (DocumentValue) throws(Failure) -> Void
    ) throws(Failure) {
        _ = try anyElement(in: document) { (value) throws(Failure) in
            try body(value)
            return false
        }
    }

    /// Visits each value the path leads to from `value`; see ``forEachElement(in:_:)-(DocumentObject,_)``.
    public func forEachElement<Failure: Error>(
        in value: DocumentValue, _ body: (DocumentValue) throws(Failure) -> Void
    ) throws(Failure) {
        guard case .object(let document) = value else { return }
        try forEachElement(in: document, body)
    }

    /// Whether a value the path leads to satisfies `condition`; the visit ends at the first that does.
    ///
    /// The values are those of ``forEachElement(in:_:)-(DocumentObject,_)``.
    ///
    /// - Throws: what `condition` throws.
    /// - Complexity: O(*n*) in the number of elements passed.
    public func anyElement<Failure: Error>(
        in document: DocumentObject, where condition: (DocumentValue) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        // Without steps the path is that of an element itself; see `FieldPath.element`.
        guard let first = steps.first else { return try condition(.object(document)) }
        guard case .name(let name) = first, let value = document[name] else { return false }
        return try anyElement(of: value, from: 1, where: condition)
    }

    // It recurses where there are several ways to go, and `maximumStepCount` bounds that.
    private func anyElement<Failure: Error>(
        of value: DocumentValue, from first: Int, where condition: (DocumentValue) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        guard let (value, next) = withoutBranches(from: value, at: first) else { return false }
        guard next < steps.count, case .array(let elements) = value else { return try condition(value) }
        for element in elements where try anyElement(of: element, from: next + 1, where: condition) { return true }
        return false
    }

    /// Follows the steps that lead to no more than one value: up to the end of the path, or to a `[]` that stands
    /// before an array. `nil` if they lead nowhere.
    private func withoutBranches(from start: DocumentValue, at first: Int) -> (value: DocumentValue, next: Int)? {
        var value = start
        for next in first..<steps.count {
            switch (steps[next], value) {
            case (.name(let name), .object(let object)):
                guard let member = object[name] else { return nil }
                value = member
            case (.eachElement, .array): return (value, next)
            case (.name, _), (.eachElement, .null): return nil
            case (.eachElement, _): continue
            }
        }
        return (value, steps.count)
    }
}
