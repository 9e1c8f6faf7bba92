/// A ``FieldPath`` whose names have been replaced by their numbers in a table of names, so that bodies are searched by
/// number.
///
/// It applies to bodies that were written with that table or an earlier one. For later bodies, resolve the path again,
/// because names that were unknown may have a number by then.
package struct ResolvedPath: Sendable {
    /// A step of a path in a body.
    enum Step: Sendable {
        /// The member of an object whose name has this number, or this member of an attachment.
        case number(Int, Attachment.Member?)
        /// The member of an object with this name, which is not in the table, or the member of an attachment.
        case inlineName(String)
        /// Each element of an array.
        case eachElement
    }

    /// The path.
    package let path: FieldPath
    let steps: [Step]
    /// The number of the name, if the path consists of one name in the table; `nil` otherwise. Most paths do, and avoid
    /// ``steps``.
    let onlyNumber: Int?

    /// Resolves a path with a table of names.
    ///
    /// - Complexity: O(*n*) in the length of the path.
    package init(_ path: FieldPath, names: FieldNames) {
        self.path = path
        steps = path.steps.map { step in
            switch step {
            case .eachElement: .eachElement
            case .name(let name):
                names.number(of: name).map { .number($0, Attachment.Member(pathName: name)) } ?? .inlineName(name)
            }
        }
        if steps.count == 1, case .number(let number, _) = steps[0] { onlyNumber = number } else { onlyNumber = nil }
    }
}
