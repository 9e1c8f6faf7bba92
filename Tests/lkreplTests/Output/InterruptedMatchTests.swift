import Foundation
import Testing

@testable import lkrepl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

#if os(Linux)
    /// Signals that arrive while a pattern is matched with a single string.
    ///
    /// The limit on the steps of a match grows with the string, so that this one takes seconds, and many minutes if the
    /// program is not optimized. All times are processor times of the child.
    @Suite(.waitsForPrograms) struct `Interrupted matches` {
        @Test(arguments: [SIGINT, SIGTERM])
        func `A signal ends a command within the match of a single document`(signal: Int32) throws {
            try Workplace.with { place in
                try place.write(#"{"collections":{"notes":{"indexes":{"n":{"fields":["n"]}}}}}"#, to: "schema.json")
                let long = String(repeating: "a", count: 32_000_000)
                try place.write("{\"id\":1,\"text\":\"b\"}\n{\"id\":2,\"text\":\"\(long)\"}\n", to: "notes.jsonl")
                try #require(try place.run("init", "long.store", "--schema", "schema.json").code == 0)
                let imported = try place.run(
                    "import", "--write", "long.store", "notes", "notes.jsonl", "-q", "--max-line", "40000000")
                try #require(imported.code == 0, "\(imported)")

                let child = try place.start(
                    [
                        "long.store", "-q", "-c", "find notes 'id = 1' --ids", "-c",
                        "find notes 'text MATCHES /(a?){900}b/ and id = 2' --ids",
                    ], name: "match")
                let hang = TimeBound(.seconds(ChildProcess.hangLimit))
                // The first command has ended. Reading the document takes a fraction of a second, and all else is the
                // match.
                _ = try hang.wait { try child.codeAfterEnd() != nil || place.read("match-out") == Array("1\n".utf8) }
                let begin = try #require(child.state, "the child has ended")
                _ = hang.wait { child.codeAfterEnd() != nil || (child.state?.time ?? .zero) - begin.time > .seconds(1) }
                let signalled = try #require(child.state, "the child has ended")
                child.signal(signal)
                var end = signalled
                _ = hang.wait {
                    guard let state = child.state else { return true }
                    end = state
                    return state.hasEnded
                }
                let code = try child.wait()
                let error = String(decoding: try place.read("match-err"), as: UTF8.self)
                // A match that is not interrupted ends with its limit on the steps, or with the process, five seconds
                // after the signal and without a message.
                #expect(code == 128 + signal && error.contains("interrupted"), "exit code \(code): \(error)")
                #expect(!error.contains("steps"), "\(error)")
                #expect(end.time - signalled.time < .seconds(1))
                #expect(try place.read("match-out") == Array("1\n".utf8))
            }
        }
    }

    extension ChildProcess {
        fileprivate struct State {
            /// The processor time of all threads so far.
            let time: Duration
            let hasEnded: Bool
        }

        /// The state of the child; `nil` once its exit code has been read.
        fileprivate var state: State? {
            let text = (try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)) ?? ""
            // The name in parentheses may contain spaces.
            guard let name = text.lastIndex(of: ")") else { return nil }
            let fields = text[name...].split(separator: " ").dropFirst()
            guard fields.count > 12, let user = Int(fields[fields.startIndex + 11]),
                let system = Int(fields[fields.startIndex + 12])
            else { return nil }
            // In hundredths of a second.
            return State(time: .milliseconds(10 * (user + system)), hasEnded: fields.first == "Z")
        }
    }
#endif
