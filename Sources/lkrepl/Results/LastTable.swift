/// The last table that a command of a shell showed, so that its rows can be shown again.
final class LastTable: @unchecked Sendable {
    // Unchecked: the shell waits while its current command runs on another thread.
    var table: HeldTable?

    /// Where the commands of the current shell keep their tables; `nil` outside a shell.
    @TaskLocal static var current: LastTable?
}
