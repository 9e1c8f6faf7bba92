import DocIndex

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The formats of keys that the user has declared, by the path of their database: one JSON object in
/// `$XDG_CONFIG_HOME/lkrepl/keyfmt.json`.
struct KeyProfiles {
    private let file: String
    private var formats: DocumentObject

    /// Reads the file; there are no formats where there is no file.
    ///
    /// - Throws: ``CommandFailure`` with `badConfiguration` for a file that is no such object.
    init() throws {
        file = Self.directory + "/keyfmt.json"
        guard FileDescriptor.exists(file) else {
            formats = DocumentObject()
            return
        }
        let descriptor = try FileDescriptor.openForReading(file)
        defer { try? descriptor.closeFile() }
        guard let text = String(validating: try descriptor.readAll(limit: 16 << 20, name: file), as: UTF8.self),
            case .object(let object) = try? DocumentValue(json: text)
        else {
            throw CommandFailure(.badConfiguration, "\(file) is no JSON object", hint: "correct it, or delete it")
        }
        formats = object
    }

    /// The directory of the user's configuration. A relative path in the environment is not taken, as XDG has it.
    private static var directory: String {
        if let path = unsafe getenv("XDG_CONFIG_HOME").map({ unsafe String(cString: $0) }), path.hasPrefix("/") {
            return path + "/lkrepl"
        }
        let home = unsafe getenv("HOME").map { unsafe String(cString: $0) } ?? "/"
        return home + "/.config/lkrepl"
    }

    /// The format of the keys of a database; `nil` if none is declared.
    func format(of path: String) throws -> KeyFormat? {
        guard let source = formats[FileDescriptor.resolvingLinks(path)]?.stringValue else { return nil }
        return try KeyFormat(source)
    }

    /// Declares the format of the keys of a database, or takes it back.
    mutating func set(_ format: KeyFormat?, for path: String) throws {
        let name = FileDescriptor.resolvingLinks(path)
        formats[name] = format.map { .string($0.source) }
        var text: [UInt8] = []
        DocumentValue.object(formats).writeJSON(to: &text, JSONWriter(layout: .pretty))
        try makeDirectory()
        try PartialFile.write(file, isSynchronized: true) { try $0.write(text + [0x0a]) }
    }

    private func makeDirectory() throws {
        var path = ""
        for step in Self.directory.split(separator: "/") {
            path += "/" + step
            guard !FileDescriptor.isDirectory(path) else { continue }
            guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
                let error = SystemError(number: errno)
                throw CommandFailure(.cannotCreate, "cannot make \(path): \(error)", hint: error.hint)
            }
        }
    }
}
