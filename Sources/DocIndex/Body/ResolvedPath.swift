/// A ``FieldPath`` whose names have been looked up in a table of names, so that bodies are searched by number.
///
/// It holds for bodies that were written with that table or an older one. For newer bodies resolve the path anew: names
/// that were unknown may have a number by then.
public struct ResolvedPath: Sendable {
    /// One step down into a body.
    enum Step: Sendable {
        /// To the member of an object whose name has this number.
        case number(Int)
        /// To the member of an object with this name, which is not in the table.
        case inlineName(String)
        /// To each element of an array.
        case eachElement
    }

    /// The path.
    public let path: FieldPath
    let steps: [Step]
    /// The number of the only name, in a path of no more: most paths are, and go without ``steps``.
    let onlyNumber: Int?

    /// The path `path` in bodies of the table `names`.
    ///
    /// - Complexity: O(*n*) in the length of the path.
    public init(_ path: FieldPath, names: FieldNames) {
        self.path = path
        steps = path.steps.map { step in
            switch step {
            case .eachElement: .eachElement
            case .name(let name): names.number(of: name).map(Step.number) ?? .inlineName(name)
            }
        }
        if steps.count == 1, case .number(let number) = steps[0] { onlyNumber = number } else { onlyNumber = nil }
    }
}
