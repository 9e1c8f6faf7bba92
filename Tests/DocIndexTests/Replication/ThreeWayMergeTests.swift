import TestSupport
import Testing

@testable import DocIndex

struct ThreeWayMergeTests {
    private static let base: DocumentObject = [
        "title": "Fog", "rating": 3, "keywords": ["sea", "fog"], "exif": ["iso": 100, "lens": ["name": "a"]],
    ]

    private func merge(
        _ versions: DocumentObject..., base: DocumentObject = base, sets: [FieldPath] = []
    ) -> DocumentObject? {
        ThreeWayMerge(sets: sets).merge(versions, base: base)
    }

    private static func changed(_ members: DocumentObject) -> DocumentObject { base.merging(patch: members) }

    @Test func `Versions that equal the base give the base`() {
        #expect(merge(Self.base, Self.base) == Self.base)
        #expect(merge([:], [:], base: [:]) == [:])
    }

    @Test func `A change of one version is taken, whatever it is`() {
        let changes: [DocumentObject] = [
            ["rating": 5], ["title": nil], ["note": "new"], ["keywords": ["fog"]], ["exif": 1], ["exif": ["iso": nil]],
            ["exif": ["lens": ["name": "b"]]],
        ]
        for change in changes {
            let version = Self.changed(change)
            #expect(merge(version, Self.base) == version)
            #expect(merge(Self.base, version, Self.base) == version)
            #expect(merge(version, version) == version, "all made the same change")
        }
        let reordered: DocumentObject = ["rating": 3, "title": "Fog", "keywords": ["sea", "fog"]]
        #expect(merge(Self.base, reordered) == reordered)
    }

    @Test func `Changes to different members are merged, also within objects`() {
        let left = Self.changed(["rating": 5, "exif": ["iso": 200]])
        let right = Self.changed(["title": nil, "exif": ["lens": ["name": "b"]]])
        let third = Self.changed(["note": "new"])
        #expect(
            merge(left, right, third) == [
                "rating": 5, "keywords": ["sea", "fog"], "exif": ["iso": 200, "lens": ["name": "b"]], "note": "new",
            ])
    }

    @Test func `Different changes of one member have no result`() {
        let pairs: [(DocumentObject, DocumentObject)] = [
            (["rating": 4], ["rating": 5]), (["rating": 4], ["rating": nil]), (["note": "x"], ["note": "y"]),
            (["keywords": ["sea"]], ["keywords": ["fog"]]), (["exif": ["iso": 1]], ["exif": ["iso": 2]]),
            (["exif": ["iso": 1]], ["exif": 1]), (["new": ["a": 1]], ["new": ["b": 1]]),
        ]
        for (left, right) in pairs {
            #expect(merge(Self.changed(left), Self.changed(right)) == nil, "\(left), \(right)")
            #expect(merge(Self.changed(left), Self.base, Self.changed(right)) == nil)
        }
    }

    @Test func `A set gets what any version added and loses what any version removed`() {
        let sets: [FieldPath] = ["keywords", "exif.tags[]"]
        let left = Self.changed(["keywords": ["sea", "ice", "fog"], "exif": ["tags": ["b", "a"]]])
        let right = Self.changed(["keywords": ["fog", "rain", "ice"], "exif": ["tags": ["c"]]])
        let merged = merge(left, right, sets: sets)
        #expect(merged?["keywords"] == ["fog", "ice", "rain"])
        #expect(FieldPath("exif.tags").value(in: merged ?? [:]) == ["b", "c", "a"])
        #expect(merge(left, Self.changed(["keywords": nil]), sets: sets)?["keywords"] == ["ice"])
        #expect(merge(left, Self.changed(["keywords": "fog"]), sets: sets) == nil)
        #expect(merge(left, right) == nil)
    }

    @Test func `Objects are merged to a depth and compared as a whole below it, on a small stack`() {
        let depths = [
            ThreeWayMerge.maximumDepth, ThreeWayMerge.maximumDepth + 1, DocumentValue.maximumDepth - 2,
        ]
        let isMerged = withSmallStack {
            depths.map { depth in
                func nested(_ leaf: DocumentObject) -> DocumentObject {
                    var object = leaf
                    for _ in 0..<depth { object = ["o": .object(object)] }
                    return object
                }
                let versions = [nested(["a": 1]), nested(["b": 1])]
                return ThreeWayMerge(sets: []).merge(versions, base: nested([:])) != nil
            }
        }
        #expect(isMerged == [true, false, false])
    }

    @Test func `The merge is what its rules say, and the same for every order of the versions`() {
        var random = TestRun.random()
        var mergedCount = 0
        for _ in 0..<TestRun.rounds(3000, long: 100_000) {
            let base = Self.object(&random, depth: 2)
            let versions = (0..<random.number(below: 3) + 2).map { _ in Self.edited(base, &random) }
            let merged = ThreeWayMerge(sets: ["s"]).merge(versions, base: base)
            #expect(merged == ThreeWayMerge(sets: ["s"]).merge(versions.shuffled(using: &random), base: base))
            let expected = Self.naive(.object(base), versions.map { .object($0) }, at: "")
            #expect(merged?.sortedDeeply == expected?.objectValue?.sortedDeeply, "\(base) \(versions)")
            if merged != nil { mergedCount += 1 }
        }
        #expect(mergedCount > 300)
    }

    // MARK: - A naive merge, without an order of members

    private struct Clash: Error {}

    private static func naive(_ base: DocumentValue?, _ versions: [DocumentValue?], at path: String) -> DocumentValue? {
        try? naiveValue(base, versions, at: path)
    }

    private static func naiveValue(
        _ base: DocumentValue?, _ versions: [DocumentValue?], at path: String
    ) throws -> DocumentValue? {
        let changed = versions.filter { $0 != base }
        guard let first = changed.first else { return base }
        if changed.allSatisfy({ $0 == first }) { return first }
        if path == "s", base.map({ $0.arrayValue != nil }) ?? true,
            changed.allSatisfy({ $0.map { $0.arrayValue != nil } ?? true })
        {
            let old = base?.arrayValue ?? []
            var all = old
            for version in changed { all += version?.arrayValue ?? [] }
            let result = Set(all).filter { element in
                old.contains(element)
                    ? changed.allSatisfy { $0?.arrayValue?.contains(element) ?? false } : true
            }
            return .array(result.sorted { $0.json < $1.json })
        }
        guard case .object(let object)? = base else { throw Clash() }
        let objects = changed.compactMap { $0?.objectValue }
        guard objects.count == changed.count else { throw Clash() }
        var result: DocumentObject = [:]
        for name in Set(([object] + objects).flatMap { $0.map(\.name) }) {
            let place = path.isEmpty ? name : path + "." + name
            result[name] = try naiveValue(object[name], objects.map { $0[name] }, at: place)
        }
        return .object(result)
    }

    private static func object(_ random: inout SplitMix64, depth: Int) -> DocumentObject {
        var object: DocumentObject = [:]
        for name in ["a", "b", "c", "d", "s"].shuffled(using: &random) where !random.once(in: 3) {
            object[name] = value(name, &random, depth: depth)
        }
        return object
    }

    private static func value(_ name: String, _ random: inout SplitMix64, depth: Int) -> DocumentValue {
        if name == "s", depth == 2 {
            return .array((0..<random.number(below: 4)).map { _ in .int(Int64(random.number(below: 5))) })
        }
        if depth > 0, random.once(in: 2) { return .object(object(&random, depth: depth - 1)) }
        return .int(Int64(random.number(below: 3)))
    }

    private static func edited(_ base: DocumentObject, _ random: inout SplitMix64, depth: Int = 2) -> DocumentObject {
        var object = base
        for _ in 0..<random.number(below: 3) {
            let name = random.pick(["a", "b", "c", "d", "s"])
            if case .object(let member) = object[name], !random.once(in: 4) {
                object[name] = .object(edited(member, &random, depth: depth - 1))
            } else {
                object[name] = random.once(in: 4) ? nil : value(name, &random, depth: depth)
            }
        }
        return object
    }
}

extension DocumentObject {
    /// The object with its members in order of names at every level, and its arrays in order of JSON.
    fileprivate var sortedDeeply: DocumentObject {
        var sorted: DocumentObject = [:]
        for member in self.sorted(by: { $0.name < $1.name }) {
            sorted[member.name] =
                switch member.value {
                case .object(let object): .object(object.sortedDeeply)
                case .array(let elements): .array(elements.sorted { $0.json < $1.json })
                default: member.value
                }
        }
        return sorted
    }
}
