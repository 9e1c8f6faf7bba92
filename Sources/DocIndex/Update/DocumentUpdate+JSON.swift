/// The form of updates for programs.
extension DocumentUpdate {
    /// Reads an update from a JSON value: an object with operators, or an array of such objects to apply in order.
    ///
    /// ```json
    /// {"$set": {"rating": 5}, "$add": {"keywords": "river"}, "$unset": ["draft"]}
    /// ```
    ///
    /// | operator | argument | notation |
    /// |---|---|---|
    /// | `$set` | `{path: value}` | `path = value` |
    /// | `$setIfAbsent` | `{path: value}` | `path ?= value` |
    /// | `$unset` | `[path]`, or a path | `REMOVE path` |
    /// | `$rename` | `{path: path}` | `path -> path` |
    /// | `$add` | `{path: value}` | `path += value` |
    /// | `$remove` | `{path: value}` | `path -= value` |
    /// | `$replace` | `{path: {"from": value, "to": value}}` | `path value -> value` |
    /// | `$replaceBelow` | `{path: {"from": keyword, "to": keyword, "by": "\|"}}` | `path BELOW keyword -> keyword BY "\|"` |
    /// | `$appendText` | `{path: string}` | `path += TEXT string` |
    /// | `$replaceText` | `{path: {"from": string, "to": string}}` | `path TEXT string -> string` |
    ///
    /// Operators, and the paths of one, are applied in the order of the object.
    ///
    /// - Throws: ``DocIndexError`` with `invalidUpdate`, which names the operator and the path.
    public init(json value: DocumentValue) throws {
        self.init([])
        let parts = value.arrayValue ?? [value]
        for part in parts {
            guard case .object(let operators) = part else {
                throw Self.failure(
                    "an update is an object such as {\"$set\": {\"rating\": 5}}, or an array of such objects")
            }
            for member in operators { try append(member.name, member.value) }
        }
        guard assignments.count <= Self.maximumAssignmentCount else {
            throw Self.failure("it has more than \(Self.maximumAssignmentCount) assignments")
        }
    }

    /// Reads an update from JSON text, in which `{"$date": …}` is a date; see ``init(json:)-(DocumentValue)``.
    public init(json text: String) throws {
        let value: DocumentValue
        do throws(JSONError) {
            value = try DocumentValue(json: text, notation: .tagged)
        } catch {
            throw Self.failure("it is not valid JSON: \(error)")
        }
        try self.init(json: value)
    }

    /// The update in the form that ``init(json:)-(DocumentValue)`` reads: an array with an object for each assignment.
    public var json: DocumentValue {
        .array(
            assignments.map { assignment in
                let path = assignment.path.description
                func operation(_ name: String, _ value: DocumentValue) -> DocumentValue {
                    .object([name: .object([path: value])])
                }
                return switch assignment {
                case .set(_, let value): operation("$set", value)
                case .setIfAbsent(_, let value): operation("$setIfAbsent", value)
                case .remove: ["$unset": .string(path)]
                case .move(_, let destination): operation("$rename", .string(destination.description))
                case .add(_, let value): operation("$add", value)
                case .subtract(_, let value): operation("$remove", value)
                case .replace(_, let old, let new): operation("$replace", ["from": old, "to": new])
                case .replaceBelow(_, let old, let new, let separator):
                    operation(
                        "$replaceBelow", ["from": .string(old), "to": .string(new), "by": .string(separator)])
                case .appendText(_, let text): operation("$appendText", .string(text))
                case .replaceText(_, let old, let new):
                    operation("$replaceText", ["from": .string(old), "to": .string(new)])
                }
            })
    }

    private static func failure(_ reason: String) -> DocIndexError {
        DocIndexError(.invalidUpdate, "the update cannot be read: \(reason)")
    }

    private mutating func append(_ name: String, _ argument: DocumentValue) throws {
        if name == "$unset" {
            for element in argument.arrayValue ?? [argument] {
                guard case .string(let text) = element else {
                    throw Self.failure("$unset needs paths, which are strings")
                }
                try append(.remove(try Self.path(text, name)))
            }
            return
        }
        guard Self.operators.contains(name) else {
            throw Self.failure("unknown operator \(name); use $unset, \(Self.operators.joined(separator: ", "))")
        }
        guard case .object(let members) = argument else {
            throw Self.failure("\(name) needs an object with a path and a value, such as {\"rating\": 5}")
        }
        for member in members {
            try append(try Self.assignment(name, try Self.path(member.name, name), member.value))
        }
    }

    private mutating func append(_ assignment: Assignment) throws {
        if let problem = assignment.problem { throw Self.failure("\(assignment): \(problem)") }
        assignments.append(assignment)
    }

    private static let operators = [
        "$set", "$setIfAbsent", "$rename", "$add", "$remove", "$replace", "$replaceBelow", "$appendText",
        "$replaceText",
    ]

    private static func path(_ text: String, _ name: String) throws -> FieldPath {
        do throws(FieldPath.SyntaxError) {
            return try FieldPath(parsing: text)
        } catch {
            throw failure("\(name): \(text) is not a valid path: \(error)")
        }
    }

    private static func assignment(_ name: String, _ path: FieldPath, _ value: DocumentValue) throws -> Assignment {
        func string(_ value: DocumentValue?, _ what: String) throws -> String {
            guard case .string(let text) = value else { throw failure("\(name): \(path): \(what) must be a string") }
            return text
        }
        func pair(_ more: String...) throws -> (from: DocumentValue, to: DocumentValue) {
            guard case .object(let object) = value, let from = object["from"], let to = object["to"],
                object.allSatisfy({ (["from", "to"] + more).contains($0.name) })
            else {
                throw failure("\(name): \(path): an object with the members from and to is expected")
            }
            return (from, to)
        }
        switch name {
        case "$set": return .set(path, value)
        case "$setIfAbsent": return .setIfAbsent(path, value)
        case "$rename": return .move(path, to: try Self.path(try string(value, "the new path"), name))
        case "$add": return .add(path, value)
        case "$remove": return .subtract(path, value)
        case "$appendText": return .appendText(path, try string(value, "the text"))
        case "$replaceText":
            let (from, to) = try pair()
            return .replaceText(path, try string(from, "from"), with: try string(to, "to"))
        case "$replaceBelow":
            let (from, to) = try pair("by")
            return .replaceBelow(
                path, try string(from, "from"), with: try string(to, "to"),
                separator: try value["by"].map { try string($0, "by") } ?? "|")
        default:
            let (from, to) = try pair()
            return .replace(path, from, with: to)
        }
    }
}
