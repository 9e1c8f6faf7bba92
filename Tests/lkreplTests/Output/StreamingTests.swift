import Foundation
import Testing

@testable import lkrepl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Long results: rows are written while the command runs, and written rows remain when it is stopped.
@Suite(.waitsForPrograms) struct `Long results` {
    /// A database with many pairs and a store with many documents, created once for all tests.
    private static let template: Result<Workplace, any Error> = Result {
        let place = try Workplace()
        var lines = ""
        for number in 0..<20_000 { lines += "{\"k\":\"key-\(100_000 + number)\",\"v\":\"value of \(number)\"}\n" }
        try place.write(lines, to: "pairs.jsonl")
        try #require(try place.run("load", "--create", "app.db", "pairs.jsonl", "-q").code == 0)
        try place.makeItems()
        lines = ""
        for number in 0..<8_000 { lines += "{\"id\":\(number),\"n\":\(number % 10),\"t\":\"common text\"}\n" }
        try place.write(lines, to: "items.jsonl")
        try #require(try place.run("import", "--write", "items.store", "items", "items.jsonl", "-q").code == 0)
        atexit { `Long results`.removeTemplate() }
        return place
    }

    private static func removeTemplate() {
        if case .success(let place) = template { try? place.remove("") }
    }

    private func copy(_ names: String..., to place: Workplace) throws {
        let template = try Self.template.get()
        for name in names {
            try FileManager.default.copyItem(atPath: "\(template.path)/\(name)", toPath: "\(place.path)/\(name)")
        }
    }

    /// Runs a command whose output goes to a pipe that no one reads, interrupts it when the pipe is full, and then
    /// reads. The command ends within half a minute after its last byte.
    private func interrupted(_ arguments: [String], in place: Workplace) throws -> Outcome {
        try TimeBound(.seconds(30)).keep("the end of \(arguments)") { _ in try stopped(arguments, in: place) }
    }

    private func stopped(_ arguments: [String], in place: Workplace) throws -> (took: Duration, result: Outcome) {
        let pipe = place.path + "/pipe"
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        defer { unsafe unlink(pipe) }
        let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        let child = try ChildProcess(
            Binary.path, arguments.map { Array($0.utf8) }, in: place.path, input: .file("/dev/null"),
            output: .file(pipe), error: .file(place.path + "/.run-stopped"))
        _ = TimeBound(.seconds(ChildProcess.hangLimit)).wait { child.codeAfterEnd() != nil || Self.isFull(pipe) }
        // Another thread of the child handles the signal, and may be scheduled late on a busy machine.
        try child.signalAndWait(SIGINT)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            var request = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&request, 1, Int32(ChildProcess.hangLimit * 1000)) > 0 else {
                throw ChildProcess.Failure(what: "nothing comes")
            }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(reader, $0.baseAddress, $0.count) }
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        let start = ContinuousClock.now
        let code = try child.wait()
        let took = ContinuousClock.now - start
        return (took, Outcome(code: code, bytes: bytes, errorBytes: try place.read(".run-stopped")))
    }

    /// Returns whether nothing can be written to a named pipe, because no one reads what it contains.
    private static func isFull(_ pipe: String) -> Bool {
        let writer = unsafe open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard writer >= 0 else { return false }
        defer { close(writer) }
        var request = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&request, 1, 0) == 0
    }

    /// Returns the number in `interrupted after 1,234 rows`.
    private func toldCount(_ outcome: Outcome, _ noun: String = "rows") -> Int? {
        let words = outcome.error.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let position = words.firstIndex(of: "after"), words.count > position + 2, words[position + 2] == noun
        else {
            return nil
        }
        return Int(words[position + 1].filter(\.isNumber))
    }

    @Test(arguments: [
        (["scan", "app.db"], 0), (["keys", "app.db"], 0), (["scan", "app.db", "--mode", "csv"], 1),
        (["values", "app.db", "--mode", "tsv"], 1), (["find", "items.store", "items"], 0),
        (["find", "items.store", "items", "--mode", "csv"], 1),
        (["search", "items.store", "items", "common", "--limit", "8000"], 0),
    ]) func `Interrupted results are complete up to the last row`(arguments: [String], headCount: Int) throws {
        try Workplace.with { place in
            try copy("app.db", "items.store", to: place)
            let whole = try place.run(arguments)
            #expect(whole.code == 0)
            let stopped = try interrupted(arguments, in: place)
            #expect(stopped.code == 130, "\(stopped.error)")
            #expect(
                stopped.bytes.last == 0x0a && stopped.lines.count < whole.lines.count, "\(stopped.lines.count) lines")
            #expect(stopped.lines == Array(whole.lines.prefix(stopped.lines.count)))
            #expect(toldCount(stopped) == stopped.lines.count - headCount, "\(stopped.error)")
        }
    }

    @Test func `Interrupted JSON output is well-formed, and an interrupted export ends with a whole line`() throws {
        try Workplace.with { place in
            try copy("app.db", "items.store", to: place)
            let array = try interrupted(["scan", "app.db", "--json"], in: place)
            #expect(array.code == 130)
            let parsed = try JSONSerialization.jsonObject(with: Data(array.bytes)) as? [Any]
            #expect((parsed?.count ?? 0) > 1_000 && parsed?.count == toldCount(array), "\(array.error)")
            let export = try interrupted(["export", "items.store", "items"], in: place)
            #expect(export.code == 130 && export.bytes.last == 0x0a, "\(export.code): \(export.error)")
            #expect(export.lines.count == toldCount(export, "documents"), "\(export.error)")
        }
    }

    /// DocIndex sees that its task is canceled, and may do so before the command looks for a signal.
    @Test func `A command whose task was canceled says what was done`() {
        let outputs = OpenOutputs(command: "export")
        #expect(CommandError(outputs.telling(CancellationError())).message == "interrupted")
        outputs.doneWork = { "12 documents" }
        #expect(CommandError(outputs.telling(CancellationError())).message == "interrupted after 12 documents")
        let told = Interruption.failure("3 documents; nothing was deleted")
        #expect(CommandError(outputs.telling(told)).message == told.message)
    }

    @Test(arguments: [
        "scan app.db", "find items.store items", "find items.store items --mode csv", "keys app.db --mode keys",
        "export items.store items", "dump app.db", "find items.store items --mode json",
        "scan app.db --mode table --all",
    ])
    func `Commands end silently when their reader has enough`(command: String) throws {
        try Workplace.with { place in
            try copy("app.db", "items.store", to: place)
            let outcome = try TimeBound(.seconds(20)).keep(command) { try place.shell("lkrepl \(command) | head -n 1") }
            #expect(outcome.code == 0 && outcome.lines.count == 1, "\(outcome)")
            #expect(outcome.error.isEmpty || outcome.error.hasPrefix("export:") || outcome.error.hasPrefix("dump:"))
            // The command did not run to its end.
            let code = try place.shell("{ lkrepl \(command) 2>/dev/null; echo $? >&3; } 3>code | head -n 1; cat code")
            #expect(code.lines.last == "141", "\(code)")
        }
    }

    @Test func `The first rows appear while others are still being searched`() throws {
        try Workplace.with { place in
            try copy("app.db", to: place)
            // A reader that is slower than the writer gets rows at once, not only when a buffer is full.
            let outcome = try place.shell(
                """
                mkfifo in
                lkrepl app.db < in > out 2>&1 &
                exec 4> in
                echo 'get key-100000' >&4
                while ! [ -s out ]; do sleep 0.1; done
                cat out; exec 4>&-; wait
                """)
            #expect(outcome.output.contains("\"value of 0\""), "\(outcome)")
        }
    }

    @Test func `A search with scores returns the same rows as without, in any form and number`() throws {
        try Workplace.with { place in
            try copy("items.store", to: place)
            let search = ["search", "items.store", "items", "common"]
            let plain = try place.run(search + ["--limit", "1500"])
            let scored = try place.run(search + ["--limit", "1500", "--score"])
            #expect(plain.lines.count == 1500 && scored.lines.count == 1500, "\(scored)")
            #expect(zip(plain.lines, scored.lines).allSatisfy { $1.hasSuffix($0.dropFirst()) })
            let csv = try place.run(search + ["--limit", "1500", "--score", "--highlight", "--mode", "csv"])
            #expect(csv.lines.count == 1501 && csv.lines.first == "score,id,n,t,highlights", "\(csv)")
            let few = try place.run(search + ["--limit", "10", "--score", "--highlight", "--mode", "csv"])
            #expect(few.lines == Array(csv.lines.prefix(11)), "\(few)")
            let filtered = try place.run(search + ["--where", "n = 3", "--score", "--limit", "5"])
            #expect(filtered.lines.count == 5 && filtered.lines.allSatisfy { $0.contains("\"n\":3") }, "\(filtered)")
            let stopped = try interrupted(search + ["--score", "--limit", "8000"], in: place)
            #expect(stopped.code == 130 && stopped.bytes.last == 0x0a, "\(stopped.error)")
            #expect(stopped.lines.count == toldCount(stopped), "\(stopped.error)")
        }
    }

    @Test func `An interrupted replacing load changes nothing, and the same command completes it`() throws {
        try Workplace.with { place in
            try copy("items.store", "app.db", to: place)
            try place.write(try place.dump("items.store"), to: "items.lkd")
            try place.write(try place.dump("app.db"), to: "app.lkd")
            for (name, dump) in [("items.store", "items.lkd"), ("app.db", "app.lkd")] {
                let command = ["load", "--write", "--yes", name, dump, "--mode", "replace"]
                let start = ContinuousClock.now
                #expect(try place.run(command).code == 0)
                let duration = (ContinuousClock.now - start) / .microseconds(1)
                for share in [0.1, 0.2, 0.3, 0.4, 0.6, 0.8] {
                    let child = try ChildProcess(
                        Binary.path, command.map { Array($0.utf8) }, in: place.path, input: .file("/dev/null"),
                        output: .file("/dev/null"), error: .file(place.path + "/.run-replacing"))
                    // Before it locks the database, the program may not have begun.
                    _ = TimeBound(.seconds(ChildProcess.hangLimit)).wait {
                        child.codeAfterEnd() != nil || place.isLocked(name)
                    }
                    usleep(UInt32(duration * share))
                    child.signal(SIGINT)
                    let code = try child.wait()
                    let error = String(decoding: try place.read(".run-replacing"), as: UTF8.self)
                    #expect([0, 130].contains(code), "\(error)")
                    if code == 130 { #expect(error.contains("the database is unchanged"), "\(error)") }
                }
                let again = try place.run(command + ["--restart"])
                #expect(again.code == 0, "\(again)")
                #expect(try place.dump(name) == place.read(dump))
            }
        }
    }

    @Test func `An interrupted repair changes nothing, or finishes and says so`() throws {
        try Workplace.with { place in
            for milliseconds: UInt32 in [20, 60, 100, 150, 250] {
                try copy("app.db", to: place)
                let whole = try place.dump("app.db")
                let child = try place.start("repair", "--write", "app.db", "--confirm", "app.db", name: "repair")
                usleep(milliseconds * 1000)
                child.signal(SIGINT)
                let code = try child.wait()
                let error = String(decoding: try place.read("repair-err"), as: UTF8.self)
                let backups = try place.names().filter { $0.contains("before-repair") }
                if code == 0 {
                    #expect(backups.count == 1, "\(error)")
                } else if backups.isEmpty {
                    #expect(code == 130 && !error.contains("half-repaired"), "\(error)")
                } else {
                    // The interruption came after the repair.
                    #expect(code == 130 && error.contains("the repair is complete"), "\(error)")
                }
                #expect(
                    try place.dump("app.db").split(separator: 0x0a).dropFirst()
                        == whole.split(separator: 0x0a).dropFirst())
                for name in backups + ["app.db"] { try place.remove(name) }
            }
        }
    }

    @Test func `Results that fail keep the rows found so far`() throws {
        try Workplace.with(isVerified: false) { place in
            try copy("app.db", to: place)
            // The end of the last table, with its index, is kept; a block in its middle is damaged.
            let names = try place.names(in: "app.db").filter { $0.hasSuffix(".ldb") }
            let last = try #require(
                names.max {
                    (try? place.read("app.db/\($0)").count) ?? 0 < (try? place.read("app.db/\($1)").count) ?? 0
                })
            var bytes = try place.read("app.db/" + last)
            let middle = bytes.count / 2
            for index in middle..<middle + 64 { bytes[index] ^= 0xff }
            try place.write(bytes, to: "app.db/" + last)
            let outcome = try place.run("keys", "app.db")
            #expect(outcome.code == 65, "\(outcome)")
            #expect(outcome.lines.count > 100 && outcome.bytes.last == 0x0a, "\(outcome.lines.count)")
            let table = try place.run("keys", "app.db", "--mode", "table")
            #expect(table.code == 65 && table.output.contains("key-100000"), "\(table)")
        }
    }

    @Test func `An interrupted range deletion reports what it deleted`() throws {
        try Workplace.with { place in
            for milliseconds: UInt32 in [5, 40, 80, 120, 200] {
                let code = try TimeBound(.seconds(20)).keep("a stopped deletion") { _ in
                    if place.has("app.db") { try place.remove("app.db") }
                    try copy("app.db", to: place)
                    let child = try place.start(
                        "delrange", "--write", "--yes", "app.db", "--prefix", "key", name: "deletion")
                    usleep(milliseconds * 1000)
                    child.signal(SIGINT)
                    let start = ContinuousClock.now
                    let code = try child.wait()
                    return (ContinuousClock.now - start, code)
                }
                let error = String(decoding: try place.read("deletion-err"), as: UTF8.self)
                #expect([0, 130].contains(code), "\(error)")
                let left = try place.run("count", "app.db").output
                let told =
                    toldCount(Outcome(code: code, bytes: [], errorBytes: Array(error.utf8)), "of")
                    ?? (code == 0 ? 20_000 : 0)
                #expect(left == "\(20_000 - told)\n", "\(error)")
            }
        }
    }

    /// Whenever ^C arrives: before the command checks for it, while it runs, or after it has ended. The next query is
    /// answered within ten seconds; commands that delay it longer are tried again on new copies.
    @Test func `^C ends every long command of a shell, and never the shell`() throws {
        for (database, count, commands) in [
            (
                "app.db", "count",
                [
                    "compact --yes --deepest", "verify --deep", "verify", "digest", "tree --exact --depth 3", "bigkeys",
                    "scan --all", "delrange --yes --prefix key-10",
                ]
            ),
            (
                "items.store", "find items --count",
                [
                    "verify", "digest", "index check items", "index rebuild items t", "facets items n t",
                    "search items common --limit 8000 --mode jsonl", "find items --sort -t --all",
                    "explain items t *= x",
                ]
            ),
        ] {
            var slow = Array(commands.enumerated())
            var times: [Duration] = []
            for _ in 0..<4 where !slow.isEmpty {
                let answers = try stopEach(slow, of: database, then: count)
                times = answers.filter { $0 >= .seconds(10) }
                slow = zip(slow, answers).filter { $1 >= .seconds(10) }.map(\.0)
            }
            #expect(slow.isEmpty, "\(slow) kept the shell for \(times)")
        }
    }

    /// Interrupts shell commands with ^C; returns how long the next query waited for its answer after each.
    private func stopEach(
        _ commands: [(offset: Int, element: String)], of database: String, then count: String
    ) throws -> [Duration] {
        try Workplace.with { place in
            try copy(database, to: place)
            let terminal = try TerminalSession(
                [database, "-q", "--write", "--no-pager", "--progress", "none"], in: place,
                environment: ["TERM": "dumb"])
            try terminal.expect("\(database) rw!> ")
            // Consecutive queries have different answers, so that a late one is not mistaken for the next.
            let modes = ["json", "csv", "tsv", "line", "jsonl", "raw0", "hexdump", "json-pretty"]
            var questionCount = 0
            func ask() throws -> String {
                let mode = modes[questionCount % modes.count]
                questionCount += 1
                try terminal.type("\(count); .mode \(mode); .mode; .mode automatic\n")
                return "\r\n\(mode)\r\n"
            }
            var answers: [Duration] = []
            for (position, command) in commands {
                try terminal.type(command + "\n")
                usleep(UInt32(position % 4) * 60_000)
                let start = ContinuousClock.now
                terminal.signal(SIGINT)
                // The shell answers next. If the command had already ended, ^C may hit the first query.
                usleep(50_000)
                let answer = try ask()
                do {
                    try terminal.expect(answer, seconds: 5)
                } catch {
                    try terminal.expect(try ask())
                }
                answers.append(ContinuousClock.now - start)
            }
            try terminal.type("quit\n")
            #expect(try terminal.end() == 0)
            return answers
        }
    }
}
