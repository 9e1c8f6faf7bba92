/// The settings of a shell, changed by dot commands and in the configuration file.
struct ShellSettings: Hashable, Sendable {
    /// The options for every command.
    var options = SharedOptions()
    var paging = PagerGate.Paging.auto
    /// Whether the time of each command is printed.
    var isTimed = false
    /// Whether operations that cannot be undone need confirmation.
    var confirms = true
    /// Whether hints are shown after the input, and whether the input is highlighted.
    var showsHints = true
    var highlights = true
}
