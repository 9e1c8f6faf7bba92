import ArgumentParser

/// The options of commands that cannot be undone.
struct ConfirmationOptions: ParsableArguments {
    @Flag(name: [.customShort("n"), .long], help: "Show what would be done, and change nothing.") var dryRun = false
    @Option(name: .long, help: "Confirm with the name of the database instead of typing it at the prompt.") var confirm:
        String?

    /// Asks for the name of the database before an operation that cannot be undone.
    ///
    /// - Parameters:
    ///   - question: The operation, such as `delete the database photos.db`.
    ///   - path: The database; its last path component is the name.
    /// - Throws: ``CommandError`` with `noPermission` if the name is missing or wrong.
    func requireName(of path: String, _ question: String, _ options: GlobalOptions) throws {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if let confirm {
            let given = try ArgumentOrigin.current.text(of: confirm)
            guard given.utf8.elementsEqual(name.utf8) else {
                throw CommandError(
                    .noPermission, "nothing was done: --confirm \(given) is not the name of the database",
                    hint: "use \(name)"
                )
            }
            return
        }
        let hint = "add --confirm \(ByteNotation.print(Array(name.utf8)))"
        guard !options.noInput, FileDescriptor.standardInput.isTerminal, StandardError.shared.isTerminal else {
            throw CommandError(.noPermission, "confirmation required: this would \(question)", hint: hint)
        }
        StandardError.shared.write(VisibleText.singleLine("this would \(question); type \(name) to continue: "))
        var answer = [UInt8](repeating: 0, count: 4096)
        let count = try FileDescriptor.standardInput.read(into: &answer)
        let typed = answer[..<count].prefix { $0 != 0x0a && $0 != 0x0d }
        guard typed.elementsEqual(name.utf8) else {
            throw CommandError(.noPermission, "nothing was done: the name was not confirmed")
        }
    }
}
