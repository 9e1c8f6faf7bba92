import TestSupport
import Testing

@testable import DocumentModel

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

        /// Returns the splice of a body.
        ///
        /// - Throws: ``BodyError`` for a body that the check refuses.
        func splice(_ body: [UInt8], _ table: FieldNames) throws(BodyError) -> BodySplice {
            let members = try BodyMembers(body.span)
            var checker = BodyChecker()
            try checker.check(members, in: body.span, table)
            return BodySplice(
                record: [5] + body, members: members, names: names, numbers: names.map { table.number(of: $0) },
                content: new)
        }
    }

    /// Expects the body of a splice to be that of the changed document.
    private func check(
        _ change: Change, names: inout FieldNames, _ comment: Comment
    ) throws {
        let body = try BodyEncoder.encode(.object(change.old), names: &names)
        var expectedNames = names
        var expected: [UInt8] = [7]
        try BodyEncoder.append(.object(change.new), names: &expectedNames, to: &expected)
        var bytes: [UInt8] = [7]
        let attachments = try BodyEncoder.append(try change.splice(body, names), names: &names, to: &bytes)
        #expect(bytes == expected, comment)
        #expect(names == expectedNames, comment)
        var gained: [DocumentModel.Attachment] = []
        for member in change.new where change.names.contains(where: { $0.hasSameBytes(as: member.name) }) {
            DocumentObject(dictionaryLiteral: ("a", member.value)).forEachAttachment { gained.append($0) }
        }
        #expect(attachments == gained, comment)
    }

    @Test func `A spliced body equals a fresh encoding`() throws {
        var generator = DocumentGenerator()
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
            try check(Change(old, members), names: &names, "round \(round), seed \(generator.seed)")
        }
    }

    @Test func `A splice changes the widths of numbers and offsets as a fresh encoding does`() throws {
        var names = FieldNames()
        for number in 0..<300 { names.add("n\(number)") }
        let texts = [0, 1, 126, 127, 128, 240, 254, 255, 256, 65_500, 65_535, 65_536, 70_000].map {
            DocumentValue.string(String(repeating: "x", count: $0))
        }
        for text in texts {
            for other in texts.map(Optional.some) + [nil] {
                let old: DocumentObject = ["n3": text, "n1": 1, "n290": 2]
                try check(Change(old, [("n3", other)]), names: &names, "\(text.json.count)")
                try check(Change(old, [("n290", nil), ("n4", other)]), names: &names, "\(text.json.count)")
                try check(Change(["n1": text], [("n299", other)]), names: &names, "\(text.json.count)")
            }
        }
        var many = DocumentObject()
        for number in stride(from: 299, through: 0, by: -3) { many["n\(number)"] = .int(Int64(number)) }
        try check(Change(many, [("n298", "new"), ("n200", nil), ("n2", nil)]), names: &names, "many members")
        try check(Change(["n1": 1], [("n1", nil)]), names: &names, "nothing left")
        try check(Change([:], [("n1", 1)]), names: &names, "nothing before")
        try check(Change(["n1": 1], []), names: &names, "no change")
    }

    @Test func `Names that are not in the table are spliced as a fresh encoding writes them`() throws {
        let long = InlineNameTests.long
        for (old, members) in [
            (["n1": 1], [(long, 5)]), (["n1": 1, "n2": 2], [("n1", [long: 1])]), (["n1": 1], [("aa", 1), ("zz", 2)]),
        ] as [(DocumentObject, [(String, DocumentValue?)])] {
            var names = InlineNameTests.full
            try check(Change(old, members), names: &names, "\(old.count), \(members.map(\.0.count))")
            names = FieldNames()
            try check(Change(old, members), names: &names, "\(old.count), \(members.map(\.0.count))")
        }
        for old: DocumentObject in [["n1": 1, long: 2], ["n1": [long: [long: 1]], "n2": 2]] {
            var names = InlineNameTests.full
            let body = try BodyEncoder.encode(.object(old), names: &names)
            #expect(throws: BodyError.self) { try Change(old, [("n1", 3)]).splice(body, names) }
        }
    }

    @Test func `A damaged body is spliced only if it can be decoded, and gives the changed document`() throws {
        var generator = DocumentGenerator()
        var (refusedCount, decodedCount) = (0, 0)
        let caseCount = DocumentGenerator.isLong ? 2_000_000 : 40_000
        for _ in 0..<caseCount {
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
            guard case .object(let decoded)? = try? BodyDecoder.decode(body, names: names) else {
                refusedCount += 1
                #expect(throws: BodyError.self, "seed \(generator.seed)") {
                    try Change(old, []).splice(body, names)
                }
                continue
            }
            decodedCount += 1
            let name = old.isEmpty ? "a" : old[generator.number(below: old.count)].name
            let change = Change(decoded, [(name, generator.number(below: 3) == 0 ? nil : generator.value())])
            var bytes: [UInt8] = []
            _ = try BodyEncoder.append(try change.splice(body, names), names: &names, to: &bytes)
            #expect(try BodyDecoder.decode(bytes, names: names) == .object(change.new), "seed \(generator.seed)")
        }
        #expect(refusedCount > caseCount / 10 && decodedCount > caseCount / 100, "\(refusedCount) \(decodedCount)")
    }

    @Test func `The deepest values are spliced on a small stack`() throws {
        let isEqual = withSmallStack {
            var deep: DocumentValue = 1
            for _ in 1..<DocumentValue.maximumDepth { deep = .array([deep]) }
            var (names, expectedNames, bytes) = (FieldNames(), FieldNames(), [UInt8]())
            let change = Change(["a": deep, "b": 1, "c": 2], [("b", deep), ("d", deep)])
            guard let body = try? BodyEncoder.encode(.object(change.old), names: &names) else { return false }
            expectedNames = names
            guard let splice = try? change.splice(body, names),
                (try? BodyEncoder.append(splice, names: &names, to: &bytes)) != nil
            else { return false }
            let tooDeep = Change(change.old, [("c", .array([deep]))])
            let length = bytes.count
            guard let deeper = try? tooDeep.splice(body, names) else { return false }
            let isRefused = (try? BodyEncoder.append(deeper, names: &names, to: &bytes)) == nil
            return isRefused && bytes.count == length
                && bytes == (try? BodyEncoder.encode(.object(change.new), names: &expectedNames))
        }
        #expect(isEqual == true)
    }
}
