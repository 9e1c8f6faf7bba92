import ArgumentParser

/// Writes the manual page and the completions of other shells, from the declarations of the commands.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Write the manual page, or the completion for bash, zsh or fish.",
        discussion: """
            Example: lkrepl generate man > lkrepl.1
            Kinds: man, bash, zsh, fish. For bash: source <(lkrepl generate bash). For zsh, put the text into a file _lkrepl in \
            a directory of fpath. For fish: lkrepl generate fish > ~/.config/fish/completions/lkrepl.fish.
            """)

    @Argument(help: "What to write: man, bash, zsh or fish.") var kind: String

    func run() throws {
        let text: String
        if kind == "man" {
            text = Manual.page()
        } else if let kind = CompletionScript.Kind(rawValue: kind) {
            text = CompletionScript.text(kind)
        } else {
            throw CommandFailure(.usage, "\(kind) cannot be generated", hint: "man, bash, zsh or fish can")
        }
        let output = StandardOutput()
        try output.write(text)
        try output.flush()
    }
}
