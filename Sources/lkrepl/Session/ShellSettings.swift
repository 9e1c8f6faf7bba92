/// What the user of a shell can set, by dot commands and in the configuration file.
struct ShellSettings: Hashable, Sendable {
    /// When results are shown page by page.
    enum Paging: String, CaseIterable, Sendable {
        /// Where they are longer than the screen.
        case auto
        /// Always.
        case on
        /// Never.
        case off
    }

    /// The options that every command gets.
    var options = SharedOptions()
    var paging = Paging.auto
    /// Whether the time of each command is told.
    var isTimed = false
    /// Whether what cannot be taken back is asked about.
    var confirms = true
    /// Whether hints are shown behind what is typed, and what is typed is coloured.
    var showsHints = true
    var highlights = true
}
