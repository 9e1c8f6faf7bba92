import TestSupport
import Testing

@testable import DocumentModel

/// Which combinations of values a document has at several paths.
@Suite struct IndexTuplesTests {
    @Test func `Paths through the same array take their values from the same element`() throws {
        let document: DocumentObject = [
            "contributors": [
                ["role": "photographer", "name": "Abbott"], ["role": "printer"], ["name": "Levitt", "age": 3],
                ["age": 4], 5,
            ]
        ]
        let combinations = try IndexTuples(["contributors[].role", "contributors[].name"]).combinations(in: document)
        #expect(combinations == [["photographer", "Abbott"], ["printer", nil], [nil, "Levitt"]])
        #expect(
            try IndexTuples(["contributors[].none", "contributors[].no"]).combinations(in: document) == [[nil, nil]])
    }

    @Test func `Each element of one array is combined with each element of the others, up to a limit`() throws {
        let document: DocumentObject = ["a": [1, 2], "b": ["x", "y"], "c": []]
        #expect(
            try IndexTuples(["a[]", "b[]", "c[]"]).combinations(in: document)
                == [[1, "x", nil], [1, "y", nil], [2, "x", nil], [2, "y", nil]])
        let many = DocumentValue.array((0..<40).map { .int($0) })
        let few = DocumentValue.array((0..<25).map { .int($0) })
        #expect(try IndexTuples(["a[]", "b[]"]).combinations(in: ["a": many, "b": few]).count == 1000)
        #expect(throws: IndexTuples.LimitError.self) {
            try IndexTuples(["a[]", "b[]"]).combinations(in: ["a": many, "b": many])
        }
        // The products of many elements, each within the limit.
        let element: DocumentValue = ["x": few, "y": many]
        #expect(throws: IndexTuples.LimitError.self) {
            try IndexTuples(["a[].x[]", "a[].y[]"]).combinations(in: [
                "a": .array(Array(repeating: element, count: 9999))
            ])
        }
        // A single array has no limit, whatever is next to it.
        let all = DocumentValue.array((0..<5000).map { ["x": .int($0), "y": 1] })
        #expect(try IndexTuples(["a[].x", "a[].y", "n"]).combinations(in: ["a": all]).count == 5000)
    }

    /// A value at a path, with the array positions on the way to it.
    private struct Match {
        let path: FieldPath
        let positions: [Int]
        let value: DocumentValue

        /// Returns whether both lie in the same elements of the arrays that their paths share.
        func agrees(with other: Match) -> Bool {
            let common = zip(path.steps, other.path.steps).prefix { $0 == $1 }
            let arrays = common.filter { $0.0 == .eachElement }.count
            return positions.prefix(arrays) == other.positions.prefix(arrays)
        }
    }

    private static func matches(of path: FieldPath, in document: DocumentObject) -> [Match] {
        var found: [(positions: [Int], value: DocumentValue)] = [([], .object(document))]
        for step in path.steps {
            found = found.flatMap { positions, value -> [(positions: [Int], value: DocumentValue)] in
                switch (step, value) {
                case (.name(let name), .object), (.name(let name), .attachment):
                    value[name].map { [(positions, $0)] } ?? []
                case (.name, _), (.eachElement, .null): []
                case (.eachElement, .array(let elements)): elements.enumerated().map { (positions + [$0], $1) }
                case (.eachElement, _): [(positions + [0], value)]
                }
            }
        }
        return found.map { Match(path: path, positions: $0.positions, value: $0.value) }
    }

    /// Returns every choice of a match or none per path in which all matches agree and none could be added.
    private static func combinations(of paths: [FieldPath], in document: DocumentObject) -> Set<[DocumentValue?]> {
        let all = paths.map { matches(of: $0, in: document) }
        var choices: [[Match?]] = [[]]
        for matches in all {
            choices = choices.flatMap { choice in
                (matches.map(Optional.some) + [nil]).compactMap { match -> [Match?]? in
                    guard let match else { return choice + [nil] }
                    return choice.allSatisfy { $0?.agrees(with: match) ?? true } ? choice + [match] : nil
                }
            }
        }
        let whole = choices.filter { choice in
            zip(choice, all).allSatisfy { chosen, matches in
                chosen != nil || !matches.contains { match in choice.allSatisfy { $0?.agrees(with: match) ?? true } }
            }
        }
        return Set(whole.map { $0.map { $0?.value } })
    }

    @Test func `Random documents have the same combinations as an exhaustive search finds`() throws {
        var documents = RandomDocuments(TestRun.random(stream: 43))
        documents.hasAttachments = true
        let paths: [FieldPath] = [
            "a", "b", "n.x", "tags", "tags[]", "people[].name", "people[].tags[]", "people[]", "n.x[]", "people[].x",
            "absent", "people[].tags[].x", "a[]", "a.type", "tags[].name", "people[].name.bytes",
        ]
        var several = 0
        for _ in 0..<TestRun.rounds(3000, long: 200_000) {
            let document = documents.document(id: documents.id())
            let chosen = (0...documents.random.number(below: 3)).map { _ in documents.random.pick(paths) }
            let found = Set(try IndexTuples(chosen).combinations(in: document))
            #expect(
                found == Self.combinations(of: chosen, in: document), "\(chosen), \(document), \(TestRun.repetition)")
            if found.count > 1, chosen.count > 1 { several += 1 }
        }
        #expect(several > 100)
    }
}
