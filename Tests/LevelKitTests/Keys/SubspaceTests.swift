import LevelKit
import Testing

@Suite struct SubspaceTests {
    @Test func `A subspace key is the prefix followed by the packed tuple`() throws {
        let photos = Subspace(["photos"])
        #expect(photos.prefix == Tuple(["photos"]).packed())
        #expect(photos.pack([2019, "a"]) == Tuple(["photos", 2019, "a"]).packed())
        #expect(photos["by year"][2019].prefix == Tuple(["photos", "by year", 2019]).packed())
        #expect(photos.nested(["by year", 2019]) == photos["by year"][2019])
        #expect(Subspace(prefix: [0xfe, 1]).pack([1]) == [0xfe, 1, 0x15, 1])
        #expect(Subspace().pack([1]) == [0x15, 1])
    }

    @Test func `Unpacking removes the prefix, and gives nil for keys outside the subspace`() throws {
        let photos = Subspace(["photos"])
        #expect(try photos.unpack(photos.pack([2019, "a"])) == [2019, "a"])
        #expect(try photos.unpack(photos.prefix) == [])
        #expect(try photos.unpack(Tuple(["videos", 1]).packed()) == nil)
        #expect(try photos.unpack(Array(photos.prefix.dropLast())) == nil)
        #expect(throws: TupleError.self) { try photos.unpack(photos.prefix + [0x99]) }
    }

    @Test func `An unpacking error gives the position in the whole key`() {
        let photos = Subspace(prefix: [1, 2, 3])
        do throws(TupleError) {
            _ = try photos.unpack([1, 2, 3, 0x15, 7, 0x99])
            Issue.record("99 begins no element")
        } catch {
            #expect(error.code == .unknownCode)
            #expect(error.offset == 5)
        }
    }

    @Test func `A subspace does not contain a tuple that only shares its leading bytes`() throws {
        let a = Subspace(["a"])
        let aNull = Tuple(["a\0"]).packed()
        #expect(aNull.starts(with: a.prefix))
        #expect(!a.contains(aNull))
        #expect(try a.unpack(aNull) == nil)
        #expect(a.isDisjoint(with: Subspace(["a\0"])))
        #expect(a.contains(a.prefix))
        #expect(a.contains(a.pack([nil])))
    }

    @Test func `Raw prefixes that are prefixes of each other overlap, and isDisjoint says so`() {
        let short = Subspace(prefix: [0x70])
        let long = Subspace(prefix: [0x70, 0x15])
        #expect(!short.isDisjoint(with: long))
        #expect(!long.isDisjoint(with: short))
        #expect(!short.isDisjoint(with: short))
        #expect(short.isDisjoint(with: Subspace(prefix: [0x71])))
        #expect(short.isDisjoint(with: Subspace(prefix: [0x70, 0xff])))
        #expect(!Subspace().isDisjoint(with: short))
    }

    @Test func `Subspaces of different elements have no key in common`() {
        var generator = TupleGenerator(seed: TupleTestPlan.seed)
        let parent = Subspace(prefix: [0x0f])
        for _ in 0..<TupleTestPlan.rounds(5000, long: 500_000) {
            let a = generator.element(depth: 1)
            let b = generator.below(2) == 0 ? generator.element(depth: 1) : generator.variation(of: a)
            let disjoint = parent[a].isDisjoint(with: parent[b])
            #expect(disjoint == (a != b), "\(a) and \(b); \(TupleTestPlan.repetition)")
            #expect(parent[b].contains(parent[a].pack(generator.tuple())) == (a == b), "\(TupleTestPlan.repetition)")
        }
    }

    @Test func `A subspace contains a key if and only if its range does`() {
        var generator = TupleGenerator(seed: TupleTestPlan.seed)
        for _ in 0..<TupleTestPlan.rounds(20_000, long: 1_000_000) {
            let tuple = generator.tuple()
            let other = generator.variation(of: tuple)
            for subspace in [Subspace(tuple), Subspace(prefix: generator.bytes())] {
                for key in [other.packed(), subspace.prefix + generator.bytes(), subspace.pack(other)] {
                    let isContained = subspace.contains(key)
                    #expect(isContained == subspace.range.contains(key), "\(TupleTestPlan.repetition)")
                }
                #expect(subspace.contains(subspace.pack(other)), "\(TupleTestPlan.repetition)")
            }
        }
    }
}

extension KeyRange {
    /// Returns whether the range contains a key in bytewise order.
    func contains(_ key: [UInt8]) -> Bool {
        let isAbove =
            switch lower {
            case .unbounded: true
            case .included(let bound): !key.lexicographicallyPrecedes(bound)
            case .excluded(let bound): bound.lexicographicallyPrecedes(key)
            }
        let isBelow =
            switch upper {
            case .unbounded: true
            case .included(let bound): !bound.lexicographicallyPrecedes(key)
            case .excluded(let bound): key.lexicographicallyPrecedes(bound)
            }
        return isAbove && isBelow
    }
}
