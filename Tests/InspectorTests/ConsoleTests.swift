import DocIndex
import DocSync
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Inspector

/// The console as pages and requests. What `lkrepl` runs in it is tested with `lkrepl`.
@Suite struct `Console page` {
    /// A shell with one command, which prints its arguments.
    private static func services(_ run: @escaping @Sendable (String) throws -> CommandConsole.Output) -> ShellServices {
        let console = CommandConsole(
            commands: [CommandConsole.Command(name: "echo", abstract: "Prints <b>words</b>.", example: "echo a & b")],
            refusals: [CommandConsole.Refusal(name: "put", reason: "It changes the store.")]
        ) { line, form, limit in
            var output = try run(line)
            output.messages += form == .people ? "as a table\n" : ""
            output.isCut = output.results.utf8.count > limit
            output.results = String(decoding: output.results.utf8.prefix(limit), as: UTF8.self)
            return output
        }
        return ShellServices(console: console) { _ in [] }
    }

    private static let echo = services { line in
        var output = CommandConsole.Output()
        output.results = line
        output.exitCode = line.contains("fail") ? 64 : 0
        return output
    }

    private static func post(
        _ inspected: InspectedStore, _ body: String, _ fields: HeaderFields = ["Content-Type": "application/json"]
    ) async throws -> Answer {
        try await inspected.send(inspected.request("/api/v1/console", method: .post, fields: fields, body: body))
    }

    @Test func `Without a shell, the page says where the console is`() async throws {
        try await withInspectedStore { inspected in
            let page = try await inspected.get("/console")
            #expect(page.status == 200 && page.text.contains("lkrepl serve"))
            #expect(try await inspected.get("/console?command=stats").status == 200)
            let answer = try await Self.post(inspected, #"{"command":"stats"}"#)
            #expect(answer.status == 404 && answer.text.contains("lkrepl serve"))
        }
    }

    @Test func `A command in the address is run, and its output is text`() async throws {
        try await withInspectedStore(services: Self.echo) { inspected in
            let plain = try await inspected.get("/console")
            #expect(plain.text.contains("echo a &amp; b") && plain.text.contains("It changes the store."))
            let target = "/console?command=" + PercentCoding.encoded("<script>alert(1)</script> \u{202e} \u{1b}[31m")
            let page = try await inspected.get(target)
            #expect(
                page.status == 200 && page.text.contains("&lt;script&gt;alert(1)") && page.text.contains("\\u{1b}[31m"))
            #expect(page.text.contains("as a table"))
            let failed = try await inspected.get("/console?command=fail")
            #expect(failed.status == 200 && failed.text.contains("exit code 64"))
            let large = try await inspected.get(
                "/console?command=" + String(repeating: "a", count: 8000))
            #expect(large.status == 200 && !large.text.contains("The output is cut"))
        }
    }

    @Test func `Programs send a command as JSON, from this server only`() async throws {
        try await withInspectedStore(services: Self.echo) { inspected in
            let answer = try await Self.post(inspected, #"{"command":"echo 5"}"#)
            let object = try answer.json()
            #expect(object["results"] == "echo 5" && object["exitCode"] == 0 && object["isCut"] == false)
            #expect(object["messages"] == "")
            for (body, fields, status) in [
                ("{", ["Content-Type": "application/json"], 400), ("[]", ["Content-Type": "application/json"], 400),
                (#"{"command":5}"#, ["Content-Type": "application/json"], 400),
                (#"{"command":"a","more":1}"#, ["Content-Type": "application/json"], 400),
                (#"{"command":"a"}"#, [:], 415), (#"{"command":"a"}"#, ["Content-Type": "text/plain"], 415),
                ("command=a", ["Content-Type": "application/x-www-form-urlencoded"], 415),
                (
                    #"{"command":"a"}"#, ["Content-Type": "application/json", "Origin": "http://evil.example"],
                    403
                ),
                (#"{"command":"a"}"#, ["Content-Type": "application/json", "Sec-Fetch-Site": "cross-site"], 403),
                (String(repeating: " ", count: (1 << 20) + 1), ["Content-Type": "application/json"], 413),
            ] as [(String, HeaderFields, Int)] {
                let answer = try await Self.post(inspected, body, fields)
                #expect(answer.status == status, "\(body.prefix(60)) \(fields): \(answer)")
            }
            for method in ["GET", "HEAD", "PUT", "DELETE"] {
                let request = inspected.request("/api/v1/console", method: SyncRequest.Method(rawValue: method))
                let answer = try await inspected.send(request)
                #expect(answer.status == 405 && answer.fields["Allow"] == "POST", "\(method)")
            }
        }
    }

    /// Counts the commands that run at once. A `long` command runs until it is canceled, and any other for 5 ms.
    private final class Commands: Sendable {
        private let running = Mutex((now: 0, most: 0))

        var runningCount: Int { running.withLock { $0.now } }
        var mostAtOnce: Int { running.withLock { $0.most } }

        func run(_ line: String) throws -> CommandConsole.Output {
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            defer { running.withLock { $0.now -= 1 } }
            let end = ContinuousClock.now + .milliseconds(5)
            // Asleep, so that the shared threads go on: on them the clock of the next command expires.
            while line == "long" || ContinuousClock.now < end {
                try Task.checkCancellation()
                usleep(1000)
            }
            return CommandConsole.Output()
        }
    }

    @Test func `Commands run one at a time`() async throws {
        let commands = Commands()
        let services = Self.services { try commands.run($0) }
        try await withInspectedStore(services: services) { inspected in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<6 {
                    group.addTask { try await Self.post(inspected, #"{"command":"short"}"#).status }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(commands.mostAtOnce == 1)
        }
    }

    @Test func `A command is refused if the one before it runs for too long`() async throws {
        let commands = Commands()
        var limits = InspectedStore.patient
        limits.patience = .milliseconds(500)
        let services = Self.services { try commands.run($0) }
        try await withInspectedStore(services: services, limits: limits) { inspected in
            let first = Task(executorPreference: OwnThreads.shared) {
                try await Self.post(inspected, #"{"command":"long"}"#)
            }
            while commands.runningCount == 0 { await pause(for: .milliseconds(5)) }
            let second = try await Self.post(inspected, #"{"command":"short"}"#)
            #expect(second.status == 503 && second.fields["Retry-After"] == "2", "\(second)")
            first.cancel()
            _ = try await first.value
            #expect(try await Self.post(inspected, #"{"command":"short"}"#).status == 200)
        }
    }
}
