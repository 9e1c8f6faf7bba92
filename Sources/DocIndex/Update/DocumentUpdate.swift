/// Changes to a document as a value: assignments to field paths, applied in order.
///
/// ```swift
/// let update = try DocumentUpdate("rating = \(stars), keywords += \(word), REMOVE draft")
/// try photos.update(where: "year < 1950", update)
/// ```
///
/// Each assignment sees the results of the ones before it. The notation is described at ``init(parsing:)``, a form for
/// programs at ``init(json:)-(DocumentValue)``.
///
/// Paths work as in conditions: a path with `[]` reaches each element of an array, and a single value counts as an
/// array of one element. Values are equal if a condition with `=` says so: `1` equals `1.0`. A `null` along a path
/// counts as absent.
public struct DocumentUpdate: Sendable, Hashable {
    /// One change.
    public enum Assignment: Sendable, Hashable {
        /// Sets a value, and creates missing objects on the way: `rating = 5`.
        case set(FieldPath, DocumentValue)
        /// Sets a value if there is none at the path: `rating ?= 3`. A value that is `null` is kept.
        case setIfAbsent(FieldPath, DocumentValue)
        /// Removes a member: `REMOVE draft`.
        case remove(FieldPath)
        /// Moves or renames a member: `caption -> title`. A member renamed within its object keeps its place. An error
        /// if there already is a member with the new name. Does nothing if there is no member to move.
        case move(FieldPath, to: FieldPath)
        /// Adds to an array or a number: `keywords += "river"`.
        ///
        /// A number is added to a number, and an absent one counts as 0. Adding a number to a single value of another
        /// kind, or the reverse, is an error. In all other cases the value at the path counts as an array: the operand
        /// is appended unless the array contains it. An absent array is created; a single value becomes the first
        /// element, because exiftool and XMP write lists of one element that way. If the operand is an array, each of
        /// its elements is added, numbers included: `sizes += (5)`.
        case add(FieldPath, DocumentValue)
        /// Removes from an array, or subtracts from a number: `keywords -= "river"`.
        ///
        /// A number is subtracted from a number. In all other cases every element that equals the operand, or an
        /// element of it if it is an array, is removed. A single value that equals it is removed with its member. A
        /// string is never shortened; see ``replaceText(_:_:with:)``. Does nothing at an absent value.
        case subtract(FieldPath, DocumentValue)
        /// Replaces an element of an array, or a single value: `keywords "river" -> "stream"`. The element keeps its
        /// place. If the new value is in the array already, only the first of the two is kept.
        case replace(FieldPath, DocumentValue, with: DocumentValue)
        /// Renames a hierarchical keyword and all keywords below it, as ``replace(_:_:with:)`` does:
        /// `subject BELOW "Places|Italy" -> "Places|Italia" BY "|"`.
        case replaceBelow(FieldPath, String, with: String, separator: String)
        /// Appends to a string, which is created if it is absent: `caption += TEXT " (cropped)"`.
        case appendText(FieldPath, String)
        /// Replaces every occurrence of a string within a string: `caption TEXT "teh" -> "the"`. Values of other kinds
        /// stay as they are.
        case replaceText(FieldPath, String, with: String)
    }

    /// The assignments, in the order in which they are applied.
    public var assignments: [Assignment]

    /// Creates an update.
    public init(_ assignments: [Assignment]) { self.assignments = assignments }

    /// The maximum number of assignments.
    public static let maximumAssignmentCount = 1000
}

extension DocumentUpdate.Assignment {
    /// The path of the value that changes.
    var path: FieldPath {
        switch self {
        case .set(let path, _), .setIfAbsent(let path, _), .remove(let path), .move(let path, to: _),
            .add(let path, _), .subtract(let path, _), .replace(let path, _, with: _),
            .replaceBelow(let path, _, with: _, separator: _), .appendText(let path, _),
            .replaceText(let path, _, with: _):
            path
        }
    }

    /// The paths of all values that change.
    var paths: [FieldPath] {
        if case .move(let source, let destination) = self { [source, destination] } else { [path] }
    }
}

// MARK: - Checks

extension DocumentUpdate {
    /// Checks everything that does not depend on a document.
    ///
    /// - Throws: ``DocIndexError``: `invalidUpdate`; `invalidID` if an assignment would change the member for IDs.
    func validate(idField: String) throws {
        guard assignments.count <= Self.maximumAssignmentCount else {
            throw DocIndexError(
                .invalidUpdate,
                "the update has \(assignments.count) assignments; at most \(Self.maximumAssignmentCount) are allowed")
        }
        for assignment in assignments {
            if let problem = assignment.problem {
                throw DocIndexError(.invalidUpdate, "the update cannot be applied: \(assignment): \(problem)")
            }
            for path in assignment.paths {
                if case .name(let name)? = path.steps.first, name.hasSameBytes(as: idField) {
                    throw DocIndexError(
                        .invalidID,
                        "\(assignment) would change \(idField), which holds the id; store the document under a new id "
                            + "and delete the old one")
                }
            }
        }
    }

    /// Whether the update is idempotent: applying it a second time changes no document. `false` in doubt: for `+=` and `-=` with a number, for changes within strings, for elements that become arrays, and if two assignments
    /// affect one path.
    ///
    /// A repeatable update that was interrupted can be started again.
    public var isRepeatable: Bool {
        guard assignments.allSatisfy(\.isRepeatable) else { return false }
        let paths = assignments.flatMap(\.paths)
        for (position, path) in paths.enumerated() {
            for other in paths[..<position] where path.overlaps(other) { return false }
        }
        return true
    }
}

extension DocumentUpdate.Assignment {
    /// What is wrong with the assignment, whatever the document; `nil` if it is valid.
    var problem: String? {
        for path in paths {
            guard case .name? = path.steps.first else { return "a path must begin with the name of a member" }
        }
        switch self {
        case .remove(let path) where path.steps.last == .eachElement:
            return "remove the member itself, or set it to json \"[]\""
        case .move(let source, let destination):
            let parts = (source.splitAtLastArray, destination.splitAtLastArray)
            guard parts.0.head == parts.1.head else {
                return "a member can be moved only within an element of an array, not into or out of it"
            }
            return parts.0.tail.isEmpty || parts.1.tail.isEmpty
                ? "an element of an array has no name; name a member of it" : nil
        case .replaceText(_, let old, with: _) where old.isEmpty: return "the string to replace is empty"
        case .replaceBelow(_, _, with: _, let separator) where separator.isEmpty: return "the separator is empty"
        default: return nil
        }
    }

    fileprivate var isRepeatable: Bool {
        // A single value that becomes an array is reached by `[]` in another way the next time.
        let isOfElements = path.steps.last == .eachElement
        return switch self {
        case .setIfAbsent, .remove, .move: true
        case .set(_, let value): !isOfElements || value.kind != .array
        case .replace(_, _, with: let new): new.kind != .array
        case .add(_, let value): value.numberValue == nil && !isOfElements
        case .subtract(_, let value): value.numberValue == nil
        case .replaceBelow(_, let old, with: let new, let separator):
            !new.hasSameBytes(as: old) && !new.utf8.starts(with: (old + separator).utf8)
        case .appendText, .replaceText: false
        }
    }
}

extension FieldPath {
    /// The steps up to and including the last `[]`, and the names after it.
    var splitAtLastArray: (head: ArraySlice<Step>, tail: ArraySlice<Step>) {
        let end = (steps.lastIndex(of: .eachElement) ?? -1) + 1
        return (steps[..<end], steps[end...])
    }

    /// Returns whether a value at one path can contain a value at the other.
    fileprivate func overlaps(_ other: FieldPath) -> Bool {
        // `[]` may reach a single value, so it makes no difference.
        let names = (steps.filter { $0 != .eachElement }, other.steps.filter { $0 != .eachElement })
        return names.0.starts(with: names.1) || names.1.starts(with: names.0)
    }
}
