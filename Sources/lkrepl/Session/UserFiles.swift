import LevelFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Where a user's own files are (XDG Base Directory Specification 0.8). Relative paths in its variables are ignored.
enum UserFiles {
    /// `$XDG_CONFIG_HOME/lkrepl/config`; `nil` where there is no home.
    static var configuration: String? { directory("XDG_CONFIG_HOME", "/.config").map { $0 + "/config" } }

    /// Commands that a shell at a terminal runs first: `$XDG_CONFIG_HOME/lkrepl/rc`.
    static var startScript: String? { directory("XDG_CONFIG_HOME", "/.config").map { $0 + "/rc" } }

    /// What was typed: `$LKREPL_HISTFILE`, else `$XDG_STATE_HOME/lkrepl/history`; `nil` if nothing is to be kept.
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

    /// Has this process make files that are for nobody who may not read all files of a database: LevelDB makes them with
    /// mode 0644 less the mask, whatever the mode of the others is.
    static func narrowMask(toFilesOf database: String) {
        var permissions: mode_t = 0o777
        for name in FileDescriptor.names(in: database) {
            var status = stat()
            guard EngineFileName(name)?.number != nil, unsafe lstat(database + "/" + name, &status) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else { continue }
            permissions &= status.st_mode
        }
        // Directories that are made are for whom the files are.
        permissions |= (permissions & 0o444) >> 2
        umask(umask(0o077) | ~permissions & 0o077)
    }

    /// Makes the directory of a file, and those above it, for the user alone. What is there already stays as it is.
    static func makeDirectory(of file: String) {
        var path = ""
        for part in file.split(separator: "/").dropLast() {
            path += "/" + part
            _ = unsafe mkdir(path, 0o700)
        }
    }
}
