import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// A store whose files are randomly damaged, repaired and rebuilt: each document is either unchanged or counted as
/// lost.
@Suite struct RepairLossTests {
    /// The content of the store before the damage.
    private typealias Content = [DocumentID: DocumentObject]

    private static func makeStore(at path: String) throws -> Content {
        var options = DocumentStore.Options()
        options.database.writeBufferByteCount = 64 << 10
        let store = try DocumentStore.open(at: path, schema: DamageTests.schema, options: options)
        var random = SplitMix64(seed: 11)
        var content: Content = [:]
        for commit in 0..<60 {
            try store.write { transaction in
                for _ in 0..<15 {
                    let id = Int64(random.number(below: 500))
                    if random.once(in: 8), content[.int(id)] != nil {
                        try transaction.delete(.int(id), in: "photos")
                        content[.int(id)] = nil
                        continue
                    }
                    let words = (0..<30).map { _ in "w\(random.number(below: 400))" }.joined(separator: " ")
                    let document: DocumentObject = [
                        "id": .int(id), "year": .int(1900 + id % 100), "rating": .int(Int64(commit)),
                        "tags": ["all", .string("t\(id % 10)")], "title": .string(words),
                        "gps": ["lat": .double(Double(id % 90)), "lon": .double(Double(id % 180))],
                    ]
                    try transaction.put(document, in: "photos")
                    content[.int(id)] = document
                }
            }
        }
        try store.close()
        return content
    }

    /// The damage to one file.
    private struct Damage: CustomStringConvertible {
        let file: String
        let what: String
        /// Whether the damage is undetectable from the files. A log truncated between two writes looks complete. Of two
        /// logs, the manifest names the older one, so the newer one can disappear without a trace.
        var isInvisible = false
        var description: String { "\(file): \(what)" }
    }

    private static func damage(_ path: String, _ random: inout SplitMix64) throws -> Damage {
        let names = try TestFiles.names(in: path).filter { $0 != "LOCK" && !$0.hasPrefix("LOG") }
        let tables = names.filter { $0.hasSuffix(".ldb") }
        let name = random.once(in: 3) ? random.pick(names) : random.pick(tables)
        let file = path + "/" + name
        let bytes = try TestFiles.bytes(of: file)
        switch random.number(below: bytes.isEmpty ? 1 : 8) {
        case 0:
            try TestFiles.remove(file)
            let logs = names.filter { $0.hasSuffix(".log") }
            return Damage(file: name, what: "deleted", isInvisible: logs.count > 1 && name == logs.last)
        case 1:
            let count = random.number(below: bytes.count)
            try TestFiles.write(bytes.prefix(count), to: file)
            return Damage(
                file: name, what: "cut to \(count) of \(bytes.count) bytes",
                isInvisible: name.hasSuffix(".log") && endsBetweenRecords(Array(bytes.prefix(count))))
        default:
            var changed = bytes
            let start = random.number(below: bytes.count)
            let end = min(bytes.count, start + 1 + random.number(below: 16))
            for index in start..<end { changed[index] = UInt8(random.number(below: 256)) }
            try TestFiles.write(changed, to: file)
            return Damage(file: name, what: "bytes \(start) to \(end) of \(bytes.count) overwritten")
        }
    }

    /// Returns whether a log ends at the end of a record (`doc/log_format.md` of LevelDB: blocks of 32 KiB, headers of
    /// 7 bytes).
    private static func endsBetweenRecords(_ bytes: [UInt8]) -> Bool {
        var position = 0
        var isWithinRecord = false
        while position < bytes.count {
            let left = 32_768 - position % 32_768
            if left < 7 {
                position += left
                continue
            }
            guard position + 7 <= bytes.count else { return false }
            // The first or a middle fragment of a record.
            isWithinRecord = [2, 3].contains(bytes[position + 6])
            position += 7 + Int(bytes[position + 4]) + Int(bytes[position + 5]) << 8
        }
        return position == bytes.count && !isWithinRecord
    }

    /// How a store differs from its original content.
    private struct Difference {
        var missing: Set<DocumentID> = []
        var wrong: Set<DocumentID> = []
        var extra: Set<DocumentID> = []
        var isEmpty: Bool { missing.isEmpty && wrong.isEmpty && extra.isEmpty }

        init(_ store: DocumentStore, _ content: Content) throws {
            var left = content
            try store.collection("photos").forEach { document in
                guard let expected = left.removeValue(forKey: document.id) else {
                    extra.insert(document.id)
                    return
                }
                if expected != document.content { wrong.insert(document.id) }
            }
            missing = Set(left.keys)
        }
    }

    /// The outcomes of all cases.
    private struct Tally {
        var cases = 0
        var unchanged = 0
        var withoutLoss = 0
        var counted = 0
        var lowerBounds = 0
        var unopened = 0
        var invisible = 0
        var missing = 0
        var reported = 0

        /// Whether each kind of outcome that the test distinguishes has occurred: documents that were lost and counted,
        /// and a loss of files that cost no document.
        var isComplete: Bool { counted > 0 && missing > 0 && withoutLoss > 0 && unopened < cases }
    }

    @Test func `After random damage, repair and rebuild, each document is intact or reported as lost`()
        throws
    {
        try withTemporaryDirectory { directory in
            let content = try Self.makeStore(at: directory + "/whole")
            var tally = Tally()
            let rounds = TestRun.rounds(25, long: 500)
            var seed = 0
            // If an outcome has not occurred, more files are damaged, because it was not checked.
            while seed < rounds || (!tally.isComplete && seed < 10 * rounds) {
                var random = SplitMix64(seed: UInt64(seed) &* 0x9e37_79b9 &+ 7)
                let path = directory + "/copy"
                try TestFiles.copy(directory + "/whole", to: path)
                let damage = try Self.damage(path, &random)
                try check(path, damage, content, Comment(rawValue: "seed \(seed), \(damage)"), &tally)
                for name in try TestFiles.names(in: directory) where name != "whole" {
                    try TestFiles.remove(directory + "/" + name)
                }
                seed += 1
            }
            print("repair of random damage: \(tally)")
            #expect(tally.isComplete, "\(tally)")
            // Nothing is compared in these cases.
            #expect(2 * (tally.unopened + tally.invisible) < tally.cases, "\(tally)")
        }
    }

    private func check(
        _ path: String, _ damage: Damage, _ content: Content, _ comment: Comment, _ tally: inout Tally
    ) throws {
        tally.cases += 1
        let report = try Database.repair(at: path)
        #expect(report.verification.isSound, comment)
        let losses = report.losses
        #expect(losses.isEmpty || losses.placeCount > 0, comment)
        let store: DocumentStore
        do {
            store = try DocumentStore.open(at: path)
        } catch let error as DocIndexError {
            // Its catalog or its names are lost, which is also reported.
            #expect(!losses.isEmpty, comment)
            #expect(error.code == .corruption || error.code == .notADocumentStore, comment)
            tally.unopened += 1
            return
        }
        let found = try store.losses(after: report)
        let rebuild = try store.rebuild()
        let verification = try store.verify()
        #expect(verification.isSound, "\(comment): \(verification.problems.prefix(5))")
        let difference = try Difference(store, content)
        try store.close()
        // If the store is sound after the rebuild, so is the database.
        let database = try Database.open(at: path)
        #expect(try database.verify().isSound, comment)
        try database.close()
        try compare(difference, found, rebuild, report, damage, comment, &tally)
    }

    private func compare(
        _ difference: Difference, _ found: Verification.Losses, _ rebuild: DocumentStore.RebuildReport,
        _ report: Database.RepairReport,
        _ damage: Damage, _ comment: Comment, _ tally: inout Tally
    ) throws {
        let photos = try #require(found.collections.first, comment)
        tally.missing += difference.missing.count
        tally.reported += photos.lostDocumentCount
        if report.losses.isEmpty { tally.unchanged += 1 } else if difference.isEmpty { tally.withoutLoss += 1 }
        if damage.isInvisible {
            tally.invisible += 1
            return
        }
        if difference.isEmpty { return }
        // No difference is silent.
        #expect(!report.losses.isEmpty && !(found.isEmpty && found.isComplete), comment)
        guard found.isComplete else {
            tally.lowerBounds += 1
            return
        }
        tally.counted += 1
        #expect(photos.lostDocumentCount >= difference.missing.count, comment)
        #expect(difference.missing.isSubset(of: photos.lostIDs), comment)
        #expect(difference.wrong.isSubset(of: photos.outdatedIDs), comment)
        #expect(difference.extra.isEmpty || rebuild.shadowedRows.count >= difference.extra.count, comment)
    }
}
