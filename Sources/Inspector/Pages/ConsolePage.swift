internal import DocIndex
internal import DocSync

/// Commands of the shell that read, and what they print.
struct ConsolePage: Sendable {
    static let parameters = ["command"]
    /// The largest size of the results in bytes.
    private static let byteLimit = 60_000

    let reading: StoreReading
    let frame: PageFrame
    let target: Target

    func response() async throws -> SyncResponse {
        let line = try Parameters(target, known: Self.parameters)["command"]
        guard let console = reading.services?.console else { return missing() }
        let begin = ContinuousClock.now
        let output = try await line.asyncMap {
            try await reading.run(command: $0, .people, byteLimit: Self.byteLimit)
        }
        let time = (ContinuousClock.now - begin).milliseconds
        return frame.page("Console") { page in
            page.element("h1", text: "Console")
            form(line, console, &page)
            if let output { show(output, time, &page) }
            list(console, isOpen: output == nil, &page)
        }
    }

    private func missing() -> SyncResponse {
        frame.page("Console") { page in
            page.element("h1", text: "Console")
            page.element(
                "p",
                text: "The console is available only under lkrepl serve. It runs the commands that read the store.")
        }
    }

    private func form(_ line: String?, _ console: CommandConsole, _ page: inout Markup) {
        page.element("form", .class("find"), .action(Link("console"))) { form in
            form.field("Command", "command", line, isWide: true, list: "commands")
            form.element("datalist", .id("commands")) { list in
                for command in console.commands {
                    list.element("option", .value(command.example ?? command.name), text: "")
                }
            }
            form.element("button", text: "Run")
        }
    }

    private func show(_ output: CommandConsole.Output, _ time: Double, _ page: inout Markup) {
        page.element("h2", text: "Output")
        if !output.messages.isEmpty {
            page.element(
                "pre", output.exitCode == 0 ? .class("quiet") : .class("note bad"), .fixed("tabindex", "0"),
                text: output.messages)
        }
        if !output.results.isEmpty {
            page.element("pre", .class("output"), .fixed("tabindex", "0"), text: output.results)
        }
        if output.isCut {
            page.element(
                "p", .class("note"),
                text: "The output is cut after \(HumanNumber.byteCount(Self.byteLimit)); select less, such as with "
                    + "--limit.")
        }
        let code = output.exitCode == 0 ? "" : "exit code \(output.exitCode), "
        page.element("p", .class("quiet"), text: "\(code)\((time * 10).rounded() / 10) ms")
    }

    private func list(_ console: CommandConsole, isOpen: Bool, _ page: inout Markup) {
        page.element("details", isOpen ? .flag("open") : nil) { details in
            details.element("summary", text: "Commands")
            details.element("p") { line in
                line.text("Each reads the newest state of the store. ")
                line.element("a", .href(Link("console").with("command", "help")), text: "help")
                line.text(" describes them: help find, help conditions.")
            }
            details.scroll("Commands") { table in
                table.element("tbody") { body in for command in console.commands { row(command, &body) } }
            }
        }
        page.element("details") { details in
            details.element("summary", text: "Commands that are not available here")
            details.scroll("Commands that are not available here") { table in
                table.element("tbody") { body in
                    for refusal in console.refusals {
                        body.element("tr") { row in
                            row.element("th", .fixed("scope", "row"), .class("code"), text: refusal.name)
                            row.cell(refusal.reason)
                        }
                    }
                }
            }
        }
    }

    private func row(_ command: CommandConsole.Command, _ body: inout Markup) {
        body.element("tr") { row in
            row.element("th", .fixed("scope", "row"), .class("code")) { cell in
                let line = "help " + command.name
                cell.element("a", .href(Link("console").with("command", line)), text: command.name)
            }
            row.cell(command.abstract)
            row.element("td", .class("code")) { cell in
                guard let example = command.example else { return }
                cell.element("a", .href(Link("console").with("command", example)), text: example)
            }
        }
    }
}

extension Optional {
    /// Returns what an asynchronous function makes of the value; `nil` for none.
    fileprivate func asyncMap<R>(_ transform: (Wrapped) async throws -> R) async rethrows -> R? {
        if let self { try await transform(self) } else { nil }
    }
}
