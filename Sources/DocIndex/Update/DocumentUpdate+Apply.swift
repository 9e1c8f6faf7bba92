// MARK: - Applying

extension DocumentUpdate {
    /// Applies the assignments to a document in memory.
    ///
    /// - Throws: ``DocIndexError`` with `invalidUpdate`, which names the assignment and the reason: a member of a value
    ///   that is not an object, a member of an attachment, a member that already exists, a number that becomes too
    ///   large, or an invalid path. The document is unchanged then.
    /// - Complexity: O(*n*) in the members and elements along each path.
    public func apply(to document: inout DocumentObject) throws { document = try applied(to: document) }

    /// Returns a document with the assignments applied; see ``apply(to:)``.
    public func applied(to document: DocumentObject) throws -> DocumentObject {
        for assignment in assignments {
            if let problem = assignment.problem { throw Self.failure(assignment, problem) }
        }
        return try appliedUnchecked(to: document)
    }

    /// Returns a document with the assignments of a valid update applied.
    func appliedUnchecked(to document: DocumentObject) throws -> DocumentObject {
        var changed = document
        for assignment in assignments {
            do throws(Problem) {
                try assignment.apply(to: &changed)
            } catch {
                throw Self.failure(assignment, error.reason)
            }
        }
        return changed
    }

    private static func failure(_ assignment: Assignment, _ reason: String) -> DocIndexError {
        DocIndexError(
            .invalidUpdate, "\(assignment) cannot be applied: \(reason); change the condition or the update")
    }

    /// The reason why an assignment cannot be applied to a document.
    fileprivate struct Problem: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }
}

extension DocumentUpdate.Assignment {
    fileprivate typealias Problem = DocumentUpdate.Problem
    /// Receives the value at a path, `nil` for none, and returns its new value, `nil` to remove it.
    fileprivate typealias Change = (DocumentValue?) throws(Problem) -> DocumentValue?

    fileprivate func apply(to document: inout DocumentObject) throws(Problem) {
        switch self {
        case .set(let path, let value):
            try Self.change(&document, path.steps[...], creates: true) { (_) throws(Problem) in value }
        case .setIfAbsent(let path, let value):
            try Self.change(&document, path.steps[...], creates: true) { (old) throws(Problem) in old ?? value }
        case .remove(let path):
            try Self.change(&document, path.steps[...], creates: false) { (_) throws(Problem) in nil }
        case .move(let source, let destination): try Self.move(source, to: destination, in: &document)
        case .add(let path, let value):
            try Self.change(&document, path.steps[...], creates: true) { (old) throws(Problem) in
                try Self.sum(old, value)
            }
        case .subtract(let path, let value):
            try Self.change(&document, path.steps[...], creates: false) { (old) throws(Problem) in
                try old.flatMap { (old) throws(Problem) in try Self.difference(old, value) }
            }
        case .replace(let path, let old, with: let new):
            try Self.rename(path, in: &document) { $0.isEqual(to: old) ? .some(new) : .none }
        case .replaceBelow(let path, let old, with: let new, let separator):
            try Self.rename(path, in: &document) {
                $0.stringValue?.moved(from: old, to: new, separator).map { .string($0) }
            }
        case .appendText(let path, let text):
            try Self.change(&document, path.steps[...], creates: true) { (old) throws(Problem) in
                switch old {
                case nil, .null: return .string(text)
                case .string(let before): return .string(before + text)
                case .some(let other): throw Problem("the value is \(other.kind.article), not a string")
                }
            }
        case .replaceText(let path, let old, with: let new):
            try Self.change(&document, path.steps[...], creates: false) { (value) throws(Problem) in
                guard case .string(let text) = value else { return value }
                return .string(text.replacing(old.utf8Span.span, with: new.utf8Span.span))
            }
        }
    }

    // MARK: - Paths

    /// Changes the values at a path that begins with a name.
    ///
    /// - Parameter creates: whether missing objects on the way are created; otherwise `body` is called only where the
    ///   path leads to an object that could have the member.
    private static func change(
        _ object: inout DocumentObject, _ steps: ArraySlice<FieldPath.Step>, creates: Bool, _ body: Change
    ) throws(Problem) {
        guard case .name(let name)? = steps.first else { return }
        let old = object[name]
        let new = try changed(old, steps.dropFirst(), creates: creates, body)
        if old != nil || new != nil { object[name] = new }
    }

    // Recursion is bounded by `FieldPath.maximumStepCount`. Each case has its own function, because frames must be
    // small; see `DocumentValue.==`.
    private static func changed(
        _ value: DocumentValue?, _ steps: ArraySlice<FieldPath.Step>, creates: Bool, _ body: Change
    ) throws(Problem) -> DocumentValue? {
        guard let step = steps.first else { return try body(value) }
        switch (step, value) {
        case (.eachElement, nil), (.eachElement, .null): return value
        case (.eachElement, .array(let elements)):
            return .array(try changed(elements, steps.dropFirst(), creates: creates, body))
        case (.eachElement, _): return try changed(value, steps.dropFirst(), creates: creates, body)
        case (.name, .object(let object)): return try changed(object, steps, creates: creates, body)
        case (.name(let name), _): return try changedMember(name, of: value, steps, creates: creates, body)
        }
    }

    private static func changed(
        _ elements: [DocumentValue], _ steps: ArraySlice<FieldPath.Step>, creates: Bool, _ body: Change
    ) throws(Problem) -> [DocumentValue] {
        var results: [DocumentValue] = []
        results.reserveCapacity(elements.count)
        for element in elements {
            if let new = try changed(element, steps, creates: creates, body) { results.append(new) }
        }
        return results
    }

    private static func changed(
        _ object: DocumentObject, _ steps: ArraySlice<FieldPath.Step>, creates: Bool, _ body: Change
    ) throws(Problem) -> DocumentValue {
        var object = object
        try change(&object, steps, creates: creates, body)
        return .object(object)
    }

    /// Changes a member of a value that is not an object.
    private static func changedMember(
        _ name: String, of value: DocumentValue?, _ steps: ArraySlice<FieldPath.Step>, creates: Bool, _ body: Change
    ) throws(Problem) -> DocumentValue? {
        switch value {
        case nil, .null: return try createdMember(name, of: value, steps, creates: creates, body)
        case .attachment:
            try requireUnchanged(value?[name], steps.dropFirst(), creates: creates, body)
            return value
        case .some(let other):
            guard creates else { return value }
            throw Problem("\(other.kind.article) has no member \(name)")
        }
    }

    private static func createdMember(
        _ name: String, of value: DocumentValue?, _ steps: ArraySlice<FieldPath.Step>, creates: Bool, _ body: Change
    ) throws(Problem) -> DocumentValue? {
        guard creates, let new = try changed(nil, steps.dropFirst(), creates: true, body) else { return value }
        var object = DocumentObject()
        object[name] = new
        return .object(object)
    }

    /// Throws if a change would change a member of an attachment.
    private static func requireUnchanged(
        _ member: DocumentValue?, _ steps: ArraySlice<FieldPath.Step>, creates: Bool, _ body: Change
    ) throws(Problem) {
        guard member != nil || creates else { return }
        if try changed(member, steps, creates: creates, body) != member { throw attachmentIsFixed }
    }

    // MARK: - Moving

    private static func move(
        _ source: FieldPath, to destination: FieldPath, in document: inout DocumentObject
    ) throws(Problem) {
        let (head, tail) = source.splitAtLastArray
        let target = destination.splitAtLastArray.tail
        if head.isEmpty { return try move(tail, to: target, in: &document) }
        try change(&document, head, creates: false) { (element) throws(Problem) in
            try refuseMove(of: tail, outOf: element)
            guard case .object(var object) = element else { return element }
            try move(tail, to: target, in: &object)
            return .object(object)
        }
    }

    /// Moves a member of an object. Both paths consist of names.
    private static func move(
        _ source: ArraySlice<FieldPath.Step>, to target: ArraySlice<FieldPath.Step>, in object: inout DocumentObject
    ) throws(Problem) {
        guard case .name(let first)? = source.first, case .name(let new)? = target.first, source != target else {
            return
        }
        if source.count > 1, target.count > 1, first.hasSameBytes(as: new) {
            try refuseMove(of: source.dropFirst(), outOf: object[first])
            guard case .object(var nested) = object[first] else { return }
            try move(source.dropFirst(), to: target.dropFirst(), in: &nested)
            object[first] = .object(nested)
            return
        }
        if source.count == 1, target.count == 1 {
            guard let position = object.position(ofName: first) else { return }
            guard object[new] == nil else { throw exists(new) }
            object = object.renaming(position, to: new)
            return
        }
        var moved: DocumentValue?
        try change(&object, source, creates: false) { (value) throws(Problem) in
            moved = value
            return nil
        }
        guard let moved else { return }
        try change(&object, target, creates: true) { (value) throws(Problem) in
            guard value == nil else { throw exists(target.last.map(FieldPath.Step.text) ?? new) }
            return moved
        }
    }

    /// Throws if the path, which consists of names, leads to a member of the value, and the value is an attachment.
    private static func refuseMove(
        of path: ArraySlice<FieldPath.Step>, outOf value: DocumentValue?
    ) throws(Problem) {
        guard case .attachment(let attachment)? = value, path.count == 1, case .name(let name)? = path.first,
            attachment[name] != nil
        else { return }
        throw attachmentIsFixed
    }

    private static var attachmentIsFixed: Problem {
        Problem("an attachment cannot be changed in place; assign a new attachment instead")
    }

    private static func exists(_ name: String) -> Problem {
        Problem("the member \(name) already exists; remove it first")
    }

    // MARK: - Values

    /// Returns the result of `+=`.
    private static func sum(_ old: DocumentValue?, _ operand: DocumentValue) throws(Problem) -> DocumentValue? {
        let isNumber = operand.numberValue != nil
        switch old {
        case nil, .null: if isNumber { return operand }
        case .array?: break
        case .some(let present) where present.numberValue != nil && isNumber:
            return try arithmetic(present, operand, isSubtraction: false)
        case .some(let present) where (present.numberValue != nil || isNumber) && operand.arrayValue == nil:
            throw mixed(present, operand)
        default: break
        }
        let added = operand.arrayValue ?? [operand]
        var elements: [DocumentValue]
        switch old {
        case nil, .null: elements = []
        case .array(let present): elements = present
        case .some(let single): elements = [single]
        }
        let before = elements.count
        for element in added where !elements.contains(where: { $0.isEqual(to: element) }) { elements.append(element) }
        return elements.count == before ? old : .array(elements)
    }

    /// A number is not made the element of an array in silence: more likely, the field or the operand is a mistake.
    private static func mixed(_ present: DocumentValue, _ operand: DocumentValue) -> Problem {
        var ways = "+= (\(operand.notation)) for an array of both"
        if present.kind == .string || operand.kind == .string { ways += ", or += TEXT to append to a string" }
        return Problem("\(operand.kind.article) cannot be added to \(present.kind.article); use \(ways)")
    }

    /// Returns the result of `-=`.
    private static func difference(_ old: DocumentValue, _ operand: DocumentValue) throws(Problem) -> DocumentValue? {
        if operand.numberValue != nil, old.numberValue != nil {
            return try arithmetic(old, operand, isSubtraction: true)
        }
        let removed = operand.arrayValue ?? [operand]
        if case .array(let elements) = old {
            return .array(elements.filter { element in !removed.contains { $0.isEqual(to: element) } })
        }
        return removed.contains { $0.isEqual(to: old) } ? .none : .some(old)
    }

    private static func arithmetic(
        _ left: DocumentValue, _ right: DocumentValue, isSubtraction: Bool
    ) throws(Problem) -> DocumentValue {
        if case .int(let a) = left, case .int(let b) = right {
            let (result, overflow) = isSubtraction ? a.subtractingReportingOverflow(b) : a.addingReportingOverflow(b)
            guard !overflow else { throw Problem("the result does not fit in 64 bits; use a double") }
            return .int(result)
        }
        let (a, b) = (left.numberValue ?? 0, right.numberValue ?? 0)
        return .double(isSubtraction ? a - b : a + b)
    }

    /// Replaces elements of arrays and single values at a path.
    ///
    /// - Parameter new: the new value for a value; `nil` to keep it.
    private static func rename(
        _ path: FieldPath, in document: inout DocumentObject, _ new: (DocumentValue) -> DocumentValue?
    ) throws(Problem) {
        try change(&document, path.steps[...], creates: false) { (value) throws(Problem) in
            guard case .array(let elements)? = value else { return value.flatMap(new) ?? value }
            let renamed = elements.map(new)
            let fresh = renamed.compactMap { $0 }
            if fresh.isEmpty { return value }
            var results: [DocumentValue] = []
            for (element, other) in zip(elements, renamed) {
                let result = other ?? element
                let isRepeated =
                    fresh.contains { $0.isEqual(to: result) } && results.contains { $0.isEqual(to: result) }
                if !isRepeated { results.append(result) }
            }
            return .array(results)
        }
    }
}

// MARK: - Parts of values

extension DocumentValue {
    /// Whether the condition `=` finds one value by the other.
    fileprivate func isEqual(to other: DocumentValue) -> Bool { ValueOrder.compare(self, other) == 0 }
}

extension FieldPath.Step {
    /// The name, or `[]`.
    fileprivate static func text(_ step: FieldPath.Step) -> String {
        if case .name(let name) = step { name } else { "[]" }
    }
}

extension DocumentObject {
    /// Returns the object with a different name for the member at a position, which no other member has.
    fileprivate func renaming(_ position: Int, to name: String) -> DocumentObject {
        var object = DocumentObject()
        for (place, member) in enumerated() { object[place == position ? name : member.name] = member.value }
        return object
    }
}

extension String {
    /// Returns a hierarchical keyword with its beginning replaced; `nil` if it is neither `old` nor below it.
    fileprivate func moved(from old: String, to new: String, _ separator: String) -> String? {
        if hasSameBytes(as: old) { return new }
        guard utf8.starts(with: (old + separator).utf8) else { return nil }
        return new + String(decoding: utf8.dropFirst(old.utf8.count), as: UTF8.self)
    }

    /// Returns the string with every occurrence of some bytes replaced, from left to right.
    fileprivate func replacing(_ old: Span<UInt8>, with new: Span<UInt8>) -> String {
        let bytes = utf8Span.span
        var result: [UInt8] = []
        var offset = 0
        while offset < bytes.count {
            if offset + old.count <= bytes.count,
                bytes.extracting(offset..<offset + old.count).hasSameBytes(as: old)
            {
                result.append(contentsOf: new)
                offset += old.count
            } else {
                result.append(bytes[offset])
                offset += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
