import DocIndex
import TestSupport

/// Generates updates of the documents of ``RandomDocuments``.
struct RandomUpdates {
    var queries: RandomQueries

    private mutating func number(below limit: Int) -> Int { queries.documents.random.number(below: limit) }

    private mutating func path() -> FieldPath {
        let paths: [FieldPath] =
            RandomDocuments.scalarPaths.filter { $0 != "id" } + RandomDocuments.arrayPaths + [
                "n.z", "new.x", "c.x",
            ]
        return queries.documents.random.pick(paths)
    }

    private mutating func value() -> DocumentValue { queries.documents.value() }

    mutating func update() -> DocumentUpdate {
        var assignments: [DocumentUpdate.Assignment] = []
        for _ in 0...number(below: 3) {
            let path = path()
            switch number(below: 9) {
            case 0: assignments.append(.set(path, value()))
            case 1: assignments.append(.setIfAbsent(path, value()))
            case 2: if path.steps.last != .eachElement { assignments.append(.remove(path)) }
            case 3:
                let pairs: [(FieldPath, FieldPath)] = [
                    ("a", "b"), ("b", "new"), ("n.x", "n.z"), ("people[].name", "people[].title"), ("c", "n.q"),
                ]
                let (source, destination) = queries.documents.random.pick(pairs)
                assignments.append(.move(source, to: destination))
            case 4: assignments.append(.add(path, value()))
            case 5: assignments.append(.subtract(path, value()))
            case 6: assignments.append(.replace(path, value(), with: value()))
            case 7: assignments.append(.replaceBelow(path, "a", with: "b", separator: "|"))
            default: assignments.append(.replaceText(path, "a", with: "bb"))
            }
        }
        return DocumentUpdate(assignments.isEmpty ? [.set("a", 1)] : assignments)
    }

    /// Returns an assignment to the member `u`, which a unique index holds.
    mutating func unique() -> DocumentUpdate.Assignment {
        switch number(below: 4) {
        case 0: .set("u", .int(Int64(number(below: 60))))
        case 1: .remove("u")
        default: .add("u", .int(Int64(number(below: 3))))
        }
    }
}
