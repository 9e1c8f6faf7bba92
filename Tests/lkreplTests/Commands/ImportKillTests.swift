import Foundation
import TestSupport
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Killed imports` {
    private static let documentCount = 3000
    private static let batchCount = 50

    private static func documents(using generator: inout SplitMix64) -> String {
        let words = (0..<200).map { "word\($0)" }
        var text = ""
        for number in 0..<documentCount {
            let some = (0..<8).map { _ in words.randomElement(using: &generator) ?? "" }
            text += """
                {"id":"d\(number)","n":\(Int.random(in: 0..<1000, using: &generator)),\
                "k":["\(some[0])","\(some[1])"],"t":"\(some.joined(separator: " "))"}\n
                """
        }
        return text
    }

    /// After a kill at any time, the store opens, documents and indexes agree, and acknowledged documents are present.
    @Test func `A killed import has stored what it acknowledged, in complete batches`() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["LEVELKIT_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 32)
        let isLong = environment["LEVELKIT_TEST_LONG"] == "1"
        var generator = SplitMix64(seed: seed)
        try Workplace.with(isVerified: false) { place in
            try place.write(Self.documents(using: &generator), to: "many.jsonl")
            try place.makeItems("first.store")
            let arguments = ["items", "many.jsonl", "--batch", "\(Self.batchCount)", "--acknowledge"]
            let start = ContinuousClock.now
            let first = try place.run(["import", "--write", "first.store"] + arguments)
            let duration = ContinuousClock.now - start
            #expect(first.code == 0 && first.lines.last == "\(Self.documentCount)", "\(first)")
            let whole = try place.dump("first.store")

            var counts: [Int] = []
            for round in 0..<(isLong ? 50 : 15) {
                let store = "killed-\(round).store"
                try place.makeItems(store)
                let child = try place.start(
                    "import", "--write", store, "items", "many.jsonl", "--batch", "\(Self.batchCount)", "--acknowledge",
                    name: store)
                usleep(UInt32(duration / .microseconds(1) * Double.random(in: 0..<1, using: &generator)))
                try child.kill()

                let acknowledged =
                    String(decoding: try place.read(store + "-out"), as: UTF8.self)
                    .split(separator: "\n", omittingEmptySubsequences: false).dropLast().last.flatMap { Int($0) } ?? 0
                let check = try place.run("verify", store)
                #expect(check.code == 0, "seed \(seed), round \(round): \(check)")
                let found = try place.run("find", store, "items", "--ids")
                let expected = (0..<found.lines.count).map { "d\($0)" }
                #expect(found.code == 0, "seed \(seed), round \(round): \(found)")
                #expect(
                    Set(found.lines) == Set(expected), "seed \(seed), round \(round): not the first \(expected.count)")
                #expect(expected.count >= acknowledged, "seed \(seed), round \(round): \(acknowledged) acknowledged")
                #expect(expected.count % Self.batchCount == 0, "seed \(seed), round \(round): \(expected.count)")
                counts.append(expected.count)

                // Run again, it ends as if it had not been killed.
                if round % 5 == 0 {
                    #expect(try place.run(["import", "--write", "-q", store] + arguments).code == 0)
                    #expect(try place.run("verify", store).code == 0)
                    #expect(try place.dump(store) == whole, "seed \(seed), round \(round)")
                }
                try place.remove(store)
            }
            // If every kill came before the start or after the end, nothing would be tested.
            #expect(counts.contains { $0 > 0 && $0 < Self.documentCount }, "seed \(seed): \(counts)")
        }
    }
}
