import Testing

@testable import lkrepl

@Suite struct ConfigurationTests {
    @Test func `The configuration file sets the settings that it names`() throws {
        var settings = ShellSettings()
        try Configuration.apply(
            text: "# mine\n\n mode = csv # rows\npager=off\ntimer = on\nconfirm = no\nhints=off\r\nhighlight = 0",
            name: "config", to: &settings)
        #expect(settings.options.mode == "csv" && settings.paging == .off && settings.isTimed)
        #expect(!settings.confirms && !settings.showsHints && !settings.highlights)
    }

    @Test func `The configuration file does not override the command line`() throws {
        var settings = ShellSettings()
        settings.options.mode = "jsonl"
        try Configuration.apply(text: "mode = csv", name: "config", to: &settings)
        #expect(settings.options.mode == "jsonl")
    }

    @Test(
        arguments: [
            ("mode = sideways", "config:1: mode cannot be sideways"),
            ("\n\npagr = on", "config:3: unknown setting pagr"),
            ("pagr = on", "did you mean pager?"), ("timer", "config:1: invalid setting"),
            ("timer = maybe", "one of on, off"),
            ("color = blue", "auto, always, never"),
        ])
    func `An invalid configuration is rejected with the position and the reason`(text: String, part: String) throws {
        let failure = #expect(throws: CommandError.self) {
            var settings = ShellSettings()
            try Configuration.apply(text: text, name: "config", to: &settings)
        }
        #expect(failure?.exitCode == .badConfiguration)
        #expect(failure?.text?.contains(part) == true, "\(failure?.text ?? "")")
    }
}
