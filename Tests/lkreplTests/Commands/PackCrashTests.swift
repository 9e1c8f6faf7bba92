import Foundation
import TestSupport
import Testing

@testable import lkrepl

/// Packing and unpacking end at any moment, or their system calls fail.
@Suite(.waitsForPrograms) struct `Failing packages` {
    private static let modes = ["io", "short", "space"] + (Sanitizer.checksThreads ? [] : ["exit", "half"])
    /// The exit codes of errors that are understood.
    private static let typedCodes: Set<Int32> = [65, 66, 73, 74, 75, 77]

    /// Runs a command in which one call on a file below `work` fails.
    ///
    /// - Returns: the outcome, and the number of calls.
    private static func run(
        _ place: Workplace, _ arguments: [String], failing number: Int, _ mode: String
    ) throws -> (outcome: Outcome, callCount: Int?) {
        let root = URL(filePath: place.path).resolvingSymlinksInPath().path()
        let outcome = try place.run(
            arguments,
            environment: [
                "LD_PRELOAD": FailingCalls.library, "FAILING_CALLS_NUMBER": "\(number)", "FAILING_CALLS_MODE": mode,
                "FAILING_CALLS_DIRECTORY": root + "/work", "FAILING_CALLS_COUNT": place.path + "/count",
            ])
        let count = (try? place.read("count")).flatMap {
            Int(String(decoding: $0, as: UTF8.self).filter { !$0.isNewline })
        }
        return (outcome, count)
    }

    /// Runs a command several times with another failing call each.
    ///
    /// - Parameters:
    ///   - prepare: prepares the directory `work`.
    ///   - check: checks it after a run.
    private static func failEachCall(
        _ place: Workplace, _ arguments: [String], _ mode: String, stream: UInt64, prepare: () throws -> Void,
        check: (Outcome, String) throws -> Void
    ) throws {
        try #require(FileManager.default.fileExists(atPath: FailingCalls.library), "swift build builds it")
        try prepare()
        let whole = try run(place, arguments, failing: 0, mode)
        try #require(whole.outcome.code == 0, "\(whole.outcome)")
        let count = try #require(whole.callCount)
        let step = TestRun.isLong ? 1 : max(1, count / 4)
        var random = TestRun.random(stream: stream)
        var failedCount = 0
        for number in stride(from: 1 + random.number(below: step), through: count, by: step) {
            try prepare()
            let outcome = try run(place, arguments, failing: number, mode).outcome
            let description = "call \(number) of \(count), \(mode): \(outcome)"
            let isEnded = outcome.code == 9 && (mode == "exit" || mode == "half")
            #expect(isEnded || outcome.code == 0 || typedCodes.contains(outcome.code), "\(description)")
            // A deletion at the end may fail without a consequence.
            if outcome.code != 0 { failedCount += 1 }
            try check(outcome, description)
        }
        print("\(arguments[0]), \(mode): \(count) calls, \(failedCount) runs that failed")
        #expect(failedCount > 0)
    }

    @Test(
        .enabled(if: FailingCalls.canPreload, "calls can be made to fail by LD_PRELOAD on Linux only"), arguments: modes
    )
    func `If a call fails while a package is written, there is the whole one or the one before`(mode: String) throws {
        try Workplace.with { place in
            try place.attachPictures()
            try place.attachPicture()
            let arguments = ["photos.store", "photos", "--originals", "--renditions", "none"]
            #expect(try place.run(["pack"] + arguments + ["-o", "whole.zip"]).code == 0)
            #expect(try place.run(["pack"] + arguments + ["rating = 5", "-o", "old.zip"]).code == 0)
            let (whole, old) = (try place.read("whole.zip"), try place.read("old.zip"))
            let dump = try place.dump("photos.store")
            for isReplacing in [false, true] {
                try Self.failEachCall(
                    place,
                    ["pack", "work/photos.store", "photos", "--originals", "--renditions", "none", "--force", "-o"]
                        + ["work/a.zip"], mode, stream: isReplacing ? 64 : 65,
                    prepare: {
                        if place.has("work") { try place.remove("work") }
                        try FileManager.default.createDirectory(
                            atPath: place.path + "/work", withIntermediateDirectories: true)
                        try place.copy("photos.store", to: "work/photos.store")
                        if isReplacing { try place.write(old, to: "work/a.zip") }
                    },
                    check: { outcome, description in
                        let found = place.has("work/a.zip") ? try place.read("work/a.zip") : nil
                        let isWhole = found == whole
                        #expect(isWhole || found == (isReplacing ? old : nil), "\(description)")
                        #expect(isWhole || outcome.code != 0, "\(description)")
                        let names = Set(try place.names(in: "work")).subtracting(["photos.store", "a.zip"])
                        // A process that ends at once leaves what it was writing, and a file that cannot be deleted stays.
                        let mayStay = outcome.code == 9 || outcome.code == 74
                        #expect(names.isEmpty || mayStay, "\(names), \(description)")
                        #expect(names.allSatisfy { $0.hasPrefix(".") || $0.contains("partial") }, "\(names)")
                        #expect(try place.dump("work/photos.store") == dump, "\(description)")
                    })
            }
        }
    }

    /// Makes a package and a store for it, which has one document with an attachment that the package does not have.
    private static func makeTarget(_ place: Workplace) throws {
        try place.attachPictures()
        try place.attachPicture()
        let packed = try place.run(
            "pack", "photos.store", "photos", "rating >= 4 or id = '2019-07-14-0031'", "--originals", "-o", "a.zip")
        try #require(packed.code == 0, "\(packed)")
        try place.makeItems("base.store")
        try place.write([UInt8](repeating: 0x32, count: 90_000), to: "mine.bin")
        let made = try place.shell(
            """
            lkrepl doc put --write base.store items '{"id":"mine","n":1}' &&
            lkrepl attach add --write base.store items mine file mine.bin &&
            cp -r base.store whole.store && lkrepl unpack --write whole.store a.zip
            """)
        try #require(made.code == 0, "\(made)")
    }

    /// Expects a sound store without a half document, to which unpacking again adds what is missing.
    private static func expectNothingLost(_ place: Workplace, _ name: String, _ whole: [UInt8], _ description: String)
        throws
    {
        let check = try place.run("verify", "--full", name)
        #expect(check.code == 0, "\(description): \(check)")
        let mine = try place.run("attach", "get", name, "items", "mine", "file")
        #expect(mine.code == 0 && mine.bytes == [UInt8](repeating: 0x32, count: 90_000), "\(description): \(mine)")
        let again = try place.run("unpack", "--write", name, "a.zip")
        #expect(again.code == 0, "\(description): \(again)")
        #expect(try place.dump(name) == whole, "\(description)")
    }

    @Test(
        .enabled(if: FailingCalls.canPreload, "calls can be made to fail by LD_PRELOAD on Linux only"), arguments: modes
    )
    func `If a call fails while a package is unpacked, nothing is lost, and unpacking again does the rest`(mode: String)
        throws
    {
        try Workplace.with { place in
            try Self.makeTarget(place)
            let whole = try place.dump("whole.store")
            try Self.failEachCall(
                place, ["unpack", "--write", "work/a.store", "a.zip"], mode, stream: 66,
                prepare: {
                    if place.has("work") { try place.remove("work") }
                    try FileManager.default.createDirectory(
                        atPath: place.path + "/work", withIntermediateDirectories: true)
                    try place.copy("base.store", to: "work/a.store")
                },
                check: { _, description in
                    try Self.expectNothingLost(place, "work/a.store", whole, description)
                })
        }
    }

    @Test func `A kill of unpack at any time leaves a sound store, and the next run does the rest`() throws {
        try Workplace.with { place in
            try Self.makeTarget(place)
            let whole = try place.dump("whole.store")
            let start = ContinuousClock.now
            try place.copy("base.store", to: "timed.store")
            #expect(try place.run("unpack", "--write", "timed.store", "a.zip").code == 0)
            let duration = ContinuousClock.now - start
            var random = TestRun.random(stream: 67)
            for round in 0..<TestRun.rounds(8, long: 200) {
                let name = "killed-\(round).store"
                try place.copy("base.store", to: name)
                let child = try place.start(["unpack", "--write", name, "a.zip"], name: "run-\(round)")
                let delay = duration / .microseconds(1) * Double.random(in: 0..<1, using: &random)
                usleep(UInt32(delay))
                try child.kill()
                try Self.expectNothingLost(place, name, whole, "round \(round); \(TestRun.repetition)")
                try place.remove(name)
            }
        }
    }
}
