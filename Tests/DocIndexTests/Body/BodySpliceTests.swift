import TestSupport
import Testing

@testable import DocIndex

/// Changing some members of a stored body without decoding the others.
@Suite struct BodySpliceTests {
    /// Some members of an object, and their values after a change.
    private struct Change {
        let old: DocumentObject
        let names: [String]
        let new: DocumentObject

        /// Creates a change from members to set, or to remove where the value is `nil`.
        init(_ old: DocumentObject, _ members: [(String, DocumentValue?)]) {
            var new = old
            for (name, value) in members { new[name] = value }
            self.old = old
            names = members.map(\.0)
            self.new = new
        }

        func splice(_ body: [UInt8], sequence: [UInt8] = [5]) -> BodySplice {
            BodySplice(
                record: sequence + body, bodyStart: sequence.count, names: names, new: new.members(named: names))
        }
    }

    /// Expects the body of a splice to be that of the changed document.
    private func check(
        _ change: Change, names: inout FieldNames, _ splicer: inout BodySplicer, _ comment: Comment
    ) throws {
        let body = try BodyEncoder.encode(.object(change.old), names: &names)
        var expectedNames = names
        var expected: [UInt8] = [7]
        try BodyEncoder.append(.object(change.new), names: &expectedNames, to: &expected)
        var bytes: [UInt8] = [7]
        let attachments = try splicer.append(change.splice(body), names: &names, to: &bytes)
        #expect(bytes == expected, comment)
        #expect(names == expectedNames, comment)
        var gained: [DocIndex.Attachment] = []
        change.new.members(named: change.names).forEachAttachment { gained.append($0) }
        #expect(attachments == gained, comment)
    }

    @Test func `A spliced body equals a fresh encoding`() throws {
        var generator = DocumentGenerator()
        var splicer = BodySplicer()
        var names = FieldNames()
        for round in 0..<(DocumentGenerator.isLong ? 500_000 : 10_000) {
            if names.count > 600 { names = FieldNames() }
            let old = generator.object()
            var members: [(String, DocumentValue?)] = []
            for _ in 0..<generator.number(below: 5) {
                let present = old.isEmpty ? nil : old[generator.number(below: old.count)].name
                let name = generator.number(below: 2) == 0 ? present ?? generator.name() : generator.name()
                if members.contains(where: { $0.0.hasSameBytes(as: name) }) { continue }
                members.append((name, generator.number(below: 4) == 0 ? nil : generator.value()))
            }
            try check(Change(old, members), names: &names, &splicer, "round \(round), seed \(generator.seed)")
        }
    }

    @Test func `A splice changes the widths of numbers and offsets as a fresh encoding does`() throws {
        var splicer = BodySplicer()
        var names = FieldNames()
        for number in 0..<300 { names.add("n\(number)") }
        let texts = [0, 1, 126, 127, 128, 240, 254, 255, 256, 65_500, 65_535, 65_536, 70_000].map {
            DocumentValue.string(String(repeating: "x", count: $0))
        }
        for text in texts {
            for other in texts.map(Optional.some) + [nil] {
                let old: DocumentObject = ["n3": text, "n1": 1, "n290": 2]
                try check(Change(old, [("n3", other)]), names: &names, &splicer, "\(text.json.count)")
                try check(Change(old, [("n290", nil), ("n4", other)]), names: &names, &splicer, "\(text.json.count)")
                try check(Change(["n1": text], [("n299", other)]), names: &names, &splicer, "\(text.json.count)")
            }
        }
        var many = DocumentObject()
        for number in stride(from: 299, through: 0, by: -3) { many["n\(number)"] = .int(Int64(number)) }
        try check(Change(many, [("n298", "new"), ("n200", nil), ("n2", nil)]), names: &names, &splicer, "many members")
        try check(Change(["n1": 1], [("n1", nil)]), names: &names, &splicer, "nothing left")
        try check(Change([:], [("n1", 1)]), names: &names, &splicer, "nothing before")
        try check(Change(["n1": 1], []), names: &names, &splicer, "no change")
    }

    @Test func `Names that are not in the table are spliced as a fresh encoding writes them`() throws {
        var splicer = BodySplicer()
        let long = InlineNameTests.long
        for (old, members) in [
            (["n1": 1, long: 2], [("n1", 3)]), (["n1": 1, long: 2], [(long, nil)]), (["n1": 1], [(long, 5)]),
            (["n1": [long: [long: 1]], "n2": 2], [("n2", 3), ("more", 4)]), (["n1": 1, "n2": 2], [("n1", [long: 1])]),
            (["zz": 1, "n2": 2], [("n2", nil), ("aa", 1)]),
        ] as [(DocumentObject, [(String, DocumentValue?)])] {
            var names = InlineNameTests.full
            try check(Change(old, members), names: &names, &splicer, "\(old.count), \(members.map(\.0.count))")
            names = FieldNames()
            try check(Change(old, members), names: &names, &splicer, "\(old.count), \(members.map(\.0.count))")
        }
    }

    @Test func `Splicing a damaged body throws, or changes the document that it can be decoded to`() throws {
        var generator = DocumentGenerator()
        var splicer = BodySplicer()
        var (refusedCount, decodedCount) = (0, 0)
        let caseCount = DocumentGenerator.isLong ? 2_000_000 : 40_000
        while refusedCount + decodedCount < caseCount {
            var names = FieldNames()
            let old = generator.object()
            var body = try BodyEncoder.encode(.object(old), names: &names)
            for _ in 0...generator.number(below: 2) {
                let position = generator.number(below: body.count)
                switch generator.number(below: 4) {
                case 0: body[position] = UInt8(truncatingIfNeeded: generator.next())
                case 1: body[position] ^= 1 << UInt8(generator.number(below: 8))
                case 2: body.insert(UInt8(truncatingIfNeeded: generator.next()), at: position)
                default: if body.count > 1 { body.remove(at: position) }
                }
            }
            let name = old.isEmpty ? "a" : old[generator.number(below: old.count)].name
            let value = generator.number(below: 3) == 0 ? nil : generator.value()
            var bytes: [UInt8] = []
            do throws(BodyError) {
                let splice = Change(old, [(name, value)]).splice(body, sequence: [])
                _ = try splicer.append(splice, names: &names, to: &bytes)
            } catch {
                refusedCount += 1
                #expect(bytes.isEmpty, "seed \(generator.seed)")
                #expect(
                    throws: BodyError.self, "a body that can be decoded is refused: \(error), seed \(generator.seed)"
                ) {
                    guard case .object = try BodyDecoder.decode(body, names: names) else {
                        throw BodyError(.invalidObjectTable, at: 0)
                    }
                }
                continue
            }
            guard case .object(let decoded)? = try? BodyDecoder.decode(body, names: names) else { continue }
            decodedCount += 1
            let expected = DocumentValue.object(Change(decoded, [(name, value)]).new)
            #expect(try BodyDecoder.decode(bytes, names: names) == expected, "seed \(generator.seed)")
        }
        #expect(refusedCount > caseCount / 10 && decodedCount > caseCount / 100, "\(refusedCount) \(decodedCount)")
    }

    @Test func `Tables that the encoder does not write are refused`() throws {
        var names = FieldNames()
        for name in ["a", "b", "c"] { names.add(name) }
        for body: [UInt8] in [
            [], [1], [2], [2, 0x10], [3, 0x10, 1, 0], [2, 0x10, 2, 0, 0], [2, 0x10, 1, 0, 0],
            // Two members in one place, a gap before the first, numbers out of order or twice, offsets too wide or out
            // of bounds.
            [2, 0x10, 7, 2, 0, 1, 0, 0, 0x41, 0x42], [2, 0x10, 5, 1, 0, 1, 0x41, 0x42],
            [2, 0x10, 7, 2, 1, 0, 0, 1, 0x41, 0x42], [2, 0x10, 7, 2, 1, 1, 0, 1, 0x41, 0x42],
            [2, 0x12, 5, 1, 0, 0, 0, 0x41], [2, 0x11, 5, 1, 0, 0, 0, 0x41], [2, 0x10, 7, 2, 0, 1, 0, 9, 0x41, 0x42],
        ] {
            #expect(throws: BodyError.self, "\(body)") {
                var members = BodyMembers()
                if try !members.read(body.span) { throw BodyError(.invalidObjectTable, at: 0) }
            }
        }
        var members = BodyMembers()
        #expect(try !members.read([2, 0x41].span))
        #expect(try members.read([2, 0x10, 7, 2, 1, 2, 1, 0, 0x41, 0x42].span))
        #expect(members.count == 2 && members[0].number == 2 && members[1].number == 1)
        // The value takes two of three bytes.
        let body: [UInt8] = [2, 0x10, 6, 1, 0, 0, 0x81, 0x61, 0x41]
        #expect(try members.read(body.span))
        #expect(throws: BodyError.self) { try BodyMembers.value(members[0], in: body.span, names: names) }
    }

    @Test func `The deepest values are spliced on a small stack`() throws {
        let isEqual = withSmallStack {
            var deep: DocumentValue = 1
            for _ in 1..<DocumentValue.maximumDepth { deep = .array([deep]) }
            var (names, expectedNames, bytes) = (FieldNames(), FieldNames(), [UInt8]())
            let change = Change(["a": deep, "b": 1, "c": 2], [("b", deep), ("d", deep)])
            guard let body = try? BodyEncoder.encode(.object(change.old), names: &names) else { return false }
            expectedNames = names
            var splicer = BodySplicer()
            _ = try? splicer.append(change.splice(body), names: &names, to: &bytes)
            let tooDeep = Change(change.old, [("c", .array([deep]))])
            let length = bytes.count
            let isRefused = (try? splicer.append(tooDeep.splice(body), names: &names, to: &bytes)) == nil
            return isRefused && bytes.count == length
                && bytes == (try? BodyEncoder.encode(.object(change.new), names: &expectedNames))
        }
        #expect(isEqual == true)
    }
}
