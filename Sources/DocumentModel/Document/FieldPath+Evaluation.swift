extension FieldPath {
    /// Returns the value at the path; `nil` if a member on the path is absent, or a name is applied to a value that is
    /// neither an object nor an ``Attachment``. An array is not an object; its elements are reached only by `[]`.
    ///
    /// A member that is `null` gives ``DocumentValue/null``. If the path contains `[]`, returns the first value that
    /// ``forEachElement(in:_:)-(DocumentObject,_)`` visits, and `nil` if it visits none.
    ///
    /// - Complexity: one lookup by name for each step.
    public func value(in document: DocumentObject) -> DocumentValue? {
        var found: DocumentValue?
        _ = anyElement(in: document) { value in
            found = value
            return true
        }
        return found
    }

    /// Returns the value at the path, starting from `value`; see ``value(in:)-(DocumentObject)``.
    public func value(in value: DocumentValue) -> DocumentValue? {
        value.memberObject.flatMap { self.value(in: $0) }
    }

    /// Visits each value at the path, in document order.
    ///
    /// At a `[]`, a value that is not an array counts as an array of one element, because `exiftool` and XMP write
    /// lists of one element that way. `null` and an absent member count as an empty array. A `null` that is an element,
    /// or the value at the end of a path without `[]`, is visited like any other value.
    ///
    /// - Throws: what `body` throws, which ends the visit.
    /// - Complexity: O(*n*) in the number of elements visited.
    public func forEachElement<Failure: Error>(
        in document: DocumentObject, _ body: (DocumentValue) throws(Failure) -> Void
    ) throws(Failure) {
        _ = try anyElement(in: document) { (value) throws(Failure) in
            try body(value)
            return false
        }
    }

    /// Visits each value at the path, starting from `value`; see ``forEachElement(in:_:)-(DocumentObject,_)``.
    public func forEachElement<Failure: Error>(
        in value: DocumentValue, _ body: (DocumentValue) throws(Failure) -> Void
    ) throws(Failure) {
        guard let document = value.memberObject else { return }
        try forEachElement(in: document, body)
    }

    /// Returns whether any value at the path satisfies `condition`. The visit ends at the first one that does.
    ///
    /// The values are the same as in ``forEachElement(in:_:)-(DocumentObject,_)``.
    ///
    /// - Throws: what `condition` throws.
    /// - Complexity: O(*n*) in the number of elements visited.
    public func anyElement<Failure: Error>(
        in document: DocumentObject, where condition: (DocumentValue) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        // A path without steps refers to an array element itself; see `FieldPath.element`.
        guard let first = steps.first else { return try condition(.object(document)) }
        guard case .name(let name) = first, let value = document[name] else { return false }
        return try anyElement(of: value, from: 1, where: condition)
    }

    // Recurses only at arrays; `maximumStepCount` bounds the depth.
    private func anyElement<Failure: Error>(
        of value: DocumentValue, from first: Int, where condition: (DocumentValue) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        guard let (value, next) = withoutBranches(from: value, at: first) else { return false }
        guard next < steps.count, case .array(let elements) = value else { return try condition(value) }
        for element in elements where try anyElement(of: element, from: next + 1, where: condition) { return true }
        return false
    }

    /// Follows the steps that lead to at most one value: up to the end of the path, or to a `[]` at an array. Returns
    /// `nil` if there is no value.
    private func withoutBranches(from start: DocumentValue, at first: Int) -> (value: DocumentValue, next: Int)? {
        var value = start
        for next in first..<steps.count {
            switch (steps[next], value) {
            case (.name(let name), .object(let object)):
                guard let member = object[name] else { return nil }
                value = member
            case (.eachElement, .array): return (value, next)
            case (.name(let name), .attachment(let attachment)):
                guard let member = attachment[name] else { return nil }
                value = member
            case (.name, _), (.eachElement, .null): return nil
            case (.eachElement, _): continue
            }
        }
        return (value, steps.count)
    }
}
