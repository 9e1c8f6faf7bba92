import ArgumentParser

/// Generates the manual page and the completions for other shells from the command declarations.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Print the manual page, or completions for bash, zsh or fish.",
        discussion: """
            Example: lkrepl generate man > lkrepl.1
            Kinds: man, bash, zsh, fish. For bash: source <(lkrepl generate bash). For zsh, save the output as a file \
            named _lkrepl in a directory of fpath. For fish: lkrepl generate fish > \
            ~/.config/fish/completions/lkrepl.fish.
            """)

    @Argument(help: "The output: man, bash, zsh or fish.") var kind: String

    func run() throws {
        let text: String
        if kind == "man" {
            text = Manual.page()
        } else if let kind = CompletionScript.Kind(rawValue: kind) {
            text = CompletionScript.text(kind)
        } else {
            throw CommandError(.usage, "unknown kind \(kind)", hint: "use man, bash, zsh or fish")
        }
        let output = StandardOutput()
        try output.write(text)
        try output.flush()
    }
}
