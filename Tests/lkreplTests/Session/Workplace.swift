import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The result of a run of `lkrepl`: the exit code and both streams.
struct Outcome: CustomStringConvertible {
    let code: Int32
    let bytes: [UInt8]
    let errorBytes: [UInt8]

    var output: String { String(decoding: bytes, as: UTF8.self) }
    var error: String { String(decoding: errorBytes, as: UTF8.self) }
    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Returns whether standard error contains a part; an empty part is always contained.
    func says(_ part: String) -> Bool { part.isEmpty || error.contains(part) }

    var description: String { "exit code \(code)\noutput: \(output.prefix(2000))\nerror: \(error.prefix(2000))" }
}

/// A directory for one test, in which `lkrepl` runs.
final class Workplace: @unchecked Sendable {
    // Unchecked: a test uses its workplace on one thread, and the shared one is created once and only read afterwards.
    let path: String
    /// The `lkrepl` that runs.
    private let program: String
    private var runCount = 0

    /// Runs `body` in a new directory, verifies every database left in it, and deletes it.
    ///
    /// - Parameter isVerified: `false` if a test damages a database or leaves an unreadable one.
    static func with<R>(
        isVerified: Bool = true, program: String = Binary.path, _ body: (Workplace) throws -> R
    ) throws -> R {
        let place = try Workplace(program: program)
        let result = try body(place)
        guard isVerified else { return result }
        for name in try place.names() where place.has(name + "/CURRENT") {
            let check = try place.run("verify", name)
            #expect(check.code == 0, "\(name) is not sound at the end of the test: \(check)")
        }
        return result
    }

    init(program: String = Binary.path) throws {
        self.program = program
        var template = Array("/tmp/lkrepl-tests-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw ChildProcess.Failure(what: "cannot create a directory") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    // MARK: - Running

    /// Runs `lkrepl` to its end.
    @discardableResult
    func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) throws -> Outcome {
        try run(arguments, input: Array(input.utf8), environment: environment)
    }

    /// Runs `lkrepl` to its end.
    @discardableResult
    func run(_ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:]) throws -> Outcome {
        try run(arguments.map { Array($0.utf8) }, input: input, environment: environment)
    }

    /// Runs `lkrepl` to its end.
    @discardableResult
    func run(
        _ arguments: [[UInt8]], input: [UInt8] = [],
        inputStream: ChildProcess.Stream? = nil, output: ChildProcess.Stream? = nil,
        error: ChildProcess.Stream? = nil, environment: [String: String] = [:]
    ) throws -> Outcome {
        try run(
            program: program, arguments, input: input, inputStream: inputStream, output: output, error: error,
            environment: environment)
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - output: The target of standard output; by default, a file that is read afterwards.
    ///   - error: The same for standard error.
    @discardableResult
    func run(
        program: String, _ arguments: [[UInt8]], input: [UInt8] = [],
        inputStream: ChildProcess.Stream? = nil, output: ChildProcess.Stream? = nil,
        error: ChildProcess.Stream? = nil, environment: [String: String] = [:]
    ) throws -> Outcome {
        runCount += 1
        let prefix = "\(path)/.run-\(runCount)"
        if !input.isEmpty { try write(input, to: ".run-\(runCount)-in") }
        let child = try ChildProcess(
            program, arguments, in: path,
            input: inputStream ?? .file(input.isEmpty ? "/dev/null" : prefix + "-in"),
            output: output ?? .file(prefix + "-out"), error: error ?? .file(prefix + "-err"),
            // Tests must not read or change the configuration of the user who runs them.
            environment: ["XDG_CONFIG_HOME": path + "/.run-config"].merging(environment) { $1 })
        let code = try child.wait()
        defer { for end in ["-in", "-out", "-err"] { unsafe unlink(prefix + end) } }
        return Outcome(
            code: code, bytes: output == nil ? try read(".run-\(runCount)-out") : [],
            errorBytes: error == nil ? try read(".run-\(runCount)-err") : [])
    }

    /// Runs `sh` lines, in which `lkrepl` is the program.
    func shell(_ text: String) throws -> Outcome {
        let program = program.replacing("'", with: "'\\''")
        return try run(program: "/bin/sh", ["-c", "lkrepl() { '\(program)' \"$@\"; }\n\(text)"].map { Array($0.utf8) })
    }

    /// Writes a script that can be executed. Another process writes it: a child that another test starts at this moment
    /// would hold a file of this process open for writing, and such a file cannot be executed.
    func writeProgram(_ text: String, to name: String) throws {
        try write(text, to: name + ".text")
        let outcome = try shell("cp '\(name).text' '\(name)' && chmod +x '\(name)' && rm '\(name).text'")
        guard outcome.code == 0 else { throw ChildProcess.Failure(what: "\(outcome)") }
    }

    /// Starts `lkrepl` without waiting for it; its streams go to the files NAME-out and NAME-err.
    func start(_ arguments: String..., name: String) throws -> ChildProcess {
        try start(arguments, name: name)
    }

    /// Starts `lkrepl` without waiting for it; its streams go to the files NAME-out and NAME-err.
    func start(_ arguments: [String], name: String, environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            program, arguments.map { Array($0.utf8) }, in: path, input: .file("/dev/null"),
            output: .file("\(path)/\(name)-out"), error: .file("\(path)/\(name)-err"), environment: environment)
    }

    // MARK: - Files

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
    }

    func write(_ text: String, to name: String) throws {
        try write(Array(text.utf8), to: name)
    }

    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
    }

    /// Returns whether another process has a database open for writing, without touching its lock.
    func isLocked(_ name: String) -> Bool {
        let file = unsafe open("\(path)/\(name)/LOCK", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        return unsafe fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    func has(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/\(name)")
    }

    func copy(_ name: String, to other: String) throws {
        try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(path)/\(other)")
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }

    /// Returns the sorted names of the files and directories here that tests created.
    func names(in directory: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(directory)").filter { !$0.hasPrefix(".run-") }
            .sorted()
    }

    // MARK: - Stores

    /// Creates a store with a copy of the sample catalog.
    func makePhotos(_ name: String = "photos.store") throws {
        let template = try Self.photos.get()
        try FileManager.default.copyItem(atPath: template.path + "/photos.store", toPath: "\(path)/\(name)")
    }

    /// Switches the history of the sample catalog on, and makes a commit.
    func keepHistory() throws {
        let outcome = try shell(
            """
            lkrepl schema photos.store | sed 's/"id": "id",/"id": "id", "history": {"versions": 9},/' > history.json &&
            lkrepl migrate --write photos.store history.json &&
            lkrepl doc del --write photos.store photos 2019-07-14-0031
            """)
        try #require(outcome.code == 0, "\(outcome)")
    }

    /// Adds the albums of the examples in help to a copy of the sample catalog: a saved search and one by hand.
    func makeAlbums(_ name: String = "photos.store") throws {
        for arguments in [
            ["save", "--write", name, "best", "rating >= 4", "--sort", "-taken"],
            ["add", "--write", name, "wall", "2019-07-14-0031", "2021-02-13-0016"],
        ] {
            let outcome = try run(["album"] + arguments)
            try #require(outcome.code == 0, "\(outcome)")
        }
    }

    /// Gives two photos of a copy of the sample catalog vectors, with an index, as the example in help expects.
    func makeVectors(_ name: String = "photos.store") throws {
        let created = try run(
            "index", "create", "--write", name, "photos", "embedding", "embedding", "--dimensions", "2")
        try #require(created.code == 0, "\(created)")
        for (id, vector) in [("2019-07-14-0031", "[1, 0]"), ("2021-02-13-0016", "[0.8, 0.6]")] {
            let outcome = try run("doc", "patch", "--write", name, "photos", id, #"{"embedding": \#(vector)}"#)
            try #require(outcome.code == 0, "\(outcome)")
        }
    }

    /// Attaches a file to a document of a copy of the sample catalog, as the examples in help expect.
    func attachPicture(_ name: String = "photos.store") throws {
        try write([UInt8](repeating: 0x31, count: 100_000), to: "IMG_0031.jpg")
        let outcome = try run("attach", "add", "--write", name, "photos", "2019-07-14-0031", "original", "IMG_0031.jpg")
        try #require(outcome.code == 0, "\(outcome)")
    }

    /// A gray JPEG file of 40 × 24 pixels.
    private static let picture =
        "/9j/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L2u71////m8H////6/+b9//j/wAALCAAYACgBAREA"
        + "/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEBAAA/AIoAAAAP/9k="

    /// Attaches a picture, a broken one and a text to a document of a copy of the sample catalog.
    func attachPictures(_ name: String = "photos.store") throws {
        try makePhotos(name)
        let picture = [UInt8](try #require(Data(base64Encoded: Self.picture)))
        try write(picture, to: "good.jpg")
        try write([UInt8](picture.prefix(100)), to: "broken.jpg")
        try write("notes", to: "notes.txt")
        let outcome = try run(
            "attach", "add", "--write", name, "photos", "2019-07-14-0031", "files[]", "good.jpg", "broken.jpg",
            "notes.txt")
        try #require(outcome.code == 0, "\(outcome)")
    }

    /// Creates an empty store with one collection `items`, with indexes on `n`, `k[]` and the text of `t`.
    func makeItems(_ name: String = "items.store") throws {
        let schema = """
            {"collections": {"items": {"indexes": {
              "n": {"fields": ["n"]}, "k": {"fields": ["k[]"]}, "t": {"type": "text", "fields": ["t"]}}}}}
            """
        try write(schema, to: "items-schema.json")
        let outcome = try run("init", name, "--schema", "items-schema.json")
        try #require(outcome.code == 0, "\(outcome)")
    }

    func makeDatabase(_ name: String = "app.db") throws {
        let outcome = try run(["load", "--create", name, "-"], input: try rawDump([]))
        try #require(outcome.code == 0, "\(outcome)")
    }

    func dump(_ name: String) throws -> [UInt8] {
        let outcome = try run("dump", name, "-q")
        try #require(outcome.code == 0, "\(outcome)")
        return outcome.bytes
    }

    /// The sample catalog, imported once for all tests.
    private static let photos: Result<Workplace, any Error> = Result {
        let place = try Workplace()
        let made = try place.run("init", "photos.store", "--schema", Binary.examples + "/schema.json")
        try #require(made.code == 0, "\(made)")
        let imported = try place.run(
            "import", "--write", "photos.store", "photos", Binary.examples + "/photos.jsonl")
        try #require(imported.code == 0, "\(imported)")
        // A static value is never deinitialized.
        atexit { Workplace.removePhotos() }
        return place
    }
}

extension Workplace {
    private static func removePhotos() {
        if case .success(let place) = photos { try? place.remove("") }
    }
}

/// Third-party programs that tests run. A test that needs one declares it in `.enabled` and is skipped, with the
/// program's name, if it is missing; `script/bootstrap tests` installs them.
enum Installed {
    /// Returns the path of a program, or `nil` if it is not installed.
    static func path(of program: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    static func has(_ program: String) -> Bool { path(of: program) != nil }

    /// Returns the comment on a test that is skipped because a program is missing.
    static func absence(of program: String) -> Comment {
        "skipped: \(program) is not installed; script/bootstrap tests installs it"
    }
}

/// Files outside the tests.
enum Binary {
    /// The directory of the package.
    static let package = String(URL(filePath: #filePath).path.split(separator: "/").dropLast(4).joined(separator: "/"))
        .withLeadingSlash
    /// The sample catalog.
    static let examples = package + "/Examples/photos"

    /// The `lkrepl` that tests run: the one that `LKREPL_BINARY` names, or the one from the same build. `make check` names
    /// an optimized one, which starts in a third of the time. It need not contain the network.
    static let path = ProcessInfo.processInfo.environment["LKREPL_BINARY"] ?? built

    /// The `lkrepl` from the same build as these tests: next to the test bundle, or in a directory above it.
    static let built: String = {
        var starts = CommandLine.arguments.filter { $0.hasPrefix("/") }
        starts.append(URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path)
        starts.append(Bundle.main.bundlePath + "/.")
        for start in starts {
            var directory = URL(filePath: start).deletingLastPathComponent()
            for _ in 0..<4 {
                let candidate = directory.appending(path: "lkrepl").path
                var isDirectory: ObjCBool = false
                if unsafe FileManager.default.fileExists(atPath: candidate, isDirectory: &isDirectory),
                    !isDirectory.boolValue,
                    FileManager.default.isExecutableFile(atPath: candidate)
                {
                    return candidate
                }
                directory = directory.deletingLastPathComponent()
            }
        }
        return package + "/.build/debug/lkrepl"
    }()
}

extension String {
    fileprivate var withLeadingSlash: String { hasPrefix("/") ? self : "/" + self }
}
