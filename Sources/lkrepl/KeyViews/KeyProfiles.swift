import DocIndex
import LevelFiles

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The user's declared key formats by database path: one JSON object in `$XDG_CONFIG_HOME/lkrepl/keyfmt.json`.
struct KeyProfiles {
    private let file: String
    private var formats: DocumentObject

    /// Reads the file; a missing file contains no formats.
    ///
    /// - Throws: ``CommandError`` with `badConfiguration` if the file is not a JSON object.
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
            throw CommandError(.badConfiguration, "\(file) is not a JSON object", hint: "correct it, or delete it")
        }
        formats = object
    }

    /// The directory of the user's configuration. Relative paths in the environment are ignored, as XDG requires.
    private static var directory: String {
        if let path = unsafe getenv("XDG_CONFIG_HOME").map({ unsafe String(cString: $0) }), path.hasPrefix("/") {
            return path + "/lkrepl"
        }
        let home = unsafe getenv("HOME").map { unsafe String(cString: $0) } ?? "/"
        return home + "/.config/lkrepl"
    }

    /// The key format of a database; `nil` if none is declared.
    func format(of path: String) throws -> KeyFormat? {
        guard let source = formats[FileDescriptor.resolvingLinks(path)]?.stringValue else { return nil }
        return try KeyFormat(source)
    }

    /// Declares the key format of a database, or removes it.
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
                throw CommandError(.cannotCreate, "cannot create \(path): \(error)", hint: error.hint)
            }
        }
    }
}
