import ArgumentParser

/// The options of commands that cannot be taken back.
struct ConfirmationOptions: ParsableArguments {
    @Flag(name: [.customShort("n"), .long], help: "Tell what would be done, and do nothing.") var dryRun = false
    @Option(name: .long, help: "The name of the database, in place of typing it when asked.") var confirm: String?

    /// Asks for the name of the database before something severe.
    ///
    /// - Parameters:
    ///   - question: What would be done, such as `delete the database photos.db`.
    ///   - path: The database, whose last step is the name.
    /// - Throws: ``CommandFailure`` with `noPermission` where the name is missing or another.
    func requireName(of path: String, _ question: String, _ options: GlobalOptions) throws {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if let confirm {
            let given = try ArgumentOrigin.current.text(of: confirm)
            guard given.utf8.elementsEqual(name.utf8) else {
                throw CommandFailure(
                    .noPermission, "not done: --confirm \(given) is not the name of the database", hint: "it is \(name)"
                )
            }
            return
        }
        let hint = "add --confirm \(ByteNotation.print(Array(name.utf8)))"
        guard !options.noInput, FileDescriptor.standardInput.isTerminal, StandardError.shared.isTerminal else {
            throw CommandFailure(.noPermission, "not done without a confirmation: \(question)", hint: hint)
        }
        StandardError.shared.write(VisibleText.singleLine("this would \(question); type \(name) to go on: "))
        var answer = [UInt8](repeating: 0, count: 4096)
        let count = try FileDescriptor.standardInput.read(into: &answer)
        let typed = answer[..<count].prefix { $0 != 0x0a && $0 != 0x0d }
        guard typed.elementsEqual(name.utf8) else { throw CommandFailure(.noPermission, "not done: \(question)") }
    }
}
