import LevelFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The paths of the user's files (XDG Base Directory Specification 0.8). Relative paths in its variables are ignored.
enum UserFiles {
    /// `$XDG_CONFIG_HOME/lkrepl/config`; `nil` without a home directory.
    static var configuration: String? { directory("XDG_CONFIG_HOME", "/.config").map { $0 + "/config" } }

    /// Commands that an interactive shell runs at startup: `$XDG_CONFIG_HOME/lkrepl/rc`.
    static var startScript: String? { directory("XDG_CONFIG_HOME", "/.config").map { $0 + "/rc" } }

    /// The history file: `$LKREPL_HISTFILE`, otherwise `$XDG_STATE_HOME/lkrepl/history`; `nil` if the history is
    /// disabled.
    static var history: String? {
        if let named = unsafe getenv("LKREPL_HISTFILE") {
            let path = unsafe String(cString: named)
            return path.isEmpty || path == "none" ? nil : path
        }
        return directory("XDG_STATE_HOME", "/.local/state").map { $0 + "/history" }
    }

    private static func directory(_ variable: String, _ standard: String) -> String? {
        if let path = Terminal.environment(variable), path.hasPrefix("/") { return path + "/lkrepl" }
        return Terminal.environment("HOME").map { $0 + standard + "/lkrepl" }
    }

    /// Restricts the process's file mode mask, so that new files are not readable by users who cannot read all files of
    /// a database: LevelDB creates files with mode 0644 less the mask.
    static func narrowMask(toFilesOf database: String) {
        var permissions: mode_t = 0o777
        for name in FileDescriptor.names(in: database) {
            var status = stat()
            guard EngineFileName(name)?.number != nil, unsafe lstat(database + "/" + name, &status) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else { continue }
            permissions &= status.st_mode
        }
        // New directories get the matching search permissions.
        permissions |= (permissions & 0o444) >> 2
        umask(umask(0o077) | ~permissions & 0o077)
    }

    /// Creates the missing parent directories of a file with access for the user only.
    static func makeDirectory(of file: String) {
        var path = ""
        for part in file.split(separator: "/").dropLast() {
            path += "/" + part
            _ = unsafe mkdir(path, 0o700)
        }
    }
}
