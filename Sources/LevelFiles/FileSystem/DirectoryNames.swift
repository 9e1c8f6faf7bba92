#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The names in a directory, unordered, without `.` and `..`.
package enum DirectoryNames {
    /// Lists the directory at a path, following links.
    package static func list(_ path: String) throws(SystemError) -> [String] {
        try list(taking: unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK))
    }

    /// Lists an open directory.
    package static func list(in descriptor: Int32) throws(SystemError) -> [String] {
        // `fdopendir` takes ownership of its descriptor and moves its position, so it gets a separate one.
        try list(taking: unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    }

    private static func list(taking descriptor: Int32) throws(SystemError) -> [String] {
        guard descriptor >= 0 else { throw .last }
        guard let stream = unsafe fdopendir(descriptor) else {
            let error = SystemError.last
            close(descriptor)
            throw error
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    unsafe String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
