import Foundation
import LevelKit
import Testing

// MARK: - Directories

/// Runs `body` with the path of a separate directory, checks every database left in it, and deletes the directory.
///
/// - Parameter leavesDamage: Whether the test leaves its databases damaged; then they are not checked.
@discardableResult
func withTemporaryDirectory<R>(
    leavesDamage: Bool = false, sourceLocation: SourceLocation = #_sourceLocation, _ body: (String) throws -> R
) throws -> R {
    let path = try makeTemporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let result = try body(path)
    if !leavesDamage { try checkDatabases(below: path, sourceLocation) }
    return result
}

/// Like ``withTemporaryDirectory(leavesDamage:sourceLocation:_:)``, for tests that share the directory with other
/// processes and wait for them.
@discardableResult
func withSharedDirectory<R>(
    leavesDamage: Bool = false, sourceLocation: SourceLocation = #_sourceLocation, _ body: (String) async throws -> R
) async throws -> R {
    let path = try makeTemporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let result = try await body(path)
    if !leavesDamage { try checkDatabases(below: path, sourceLocation) }
    return result
}

/// Runs `body` with a new database in a separate directory, then closes and checks it as
/// ``withTemporaryDirectory(leavesDamage:sourceLocation:_:)`` does.
@discardableResult
func withTemporaryDatabase<R>(
    options: DatabaseOptions = DatabaseOptions(), sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (Database) throws -> R
) throws -> R {
    try withTemporaryDirectory(sourceLocation: sourceLocation) { directory in
        let database = try Database.open(at: directory + "/db", options: options)
        let result = try body(database)
        try database.close()
        return result
    }
}

private func makeTemporaryDirectory() throws -> String {
    // In memory if possible: a disk that syncs would take most of the time of these tests.
    let usesMemory =
        ProcessInfo.processInfo.environment["TMPDIR"] == nil && FileManager.default.isWritableFile(atPath: "/dev/shm")
    let parent = usesMemory ? URL(filePath: "/dev/shm") : FileManager.default.temporaryDirectory
    let url = parent.appending(path: "LevelKitTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    // Without symbolic links, so that paths can be compared with those that LevelKit has resolved.
    return url.resolvingSymlinksInPath().path
}

// MARK: - Integrity

private func checkDatabases(below directory: String, _ sourceLocation: SourceLocation) throws {
    let all = try #require(FileManager.default.enumerator(atPath: directory), sourceLocation: sourceLocation)
    for case let path as String in all where path == "CURRENT" || path.hasSuffix("/CURRENT") {
        expectIntegrity(of: directory + "/" + path.dropLast("/CURRENT".count), sourceLocation)
    }
}

/// Expects a database to open with strict checks, and every entry to be found from both ends and by its key.
func expectIntegrity(of path: String, _ sourceLocation: SourceLocation = #_sourceLocation) {
    var options = DatabaseOptions()
    options.createIfMissing = false
    do {
        let database = try Database.open(at: path, options: options)
        let rising = try entries(of: database)
        let falling = try entries(of: database, reverse: true)
        #expect(falling == rising.reversed(), "both directions", sourceLocation: sourceLocation)
        let isSorted = zip(rising, rising.dropFirst()).allSatisfy { $0.key.lexicographicallyPrecedes($1.key) }
        #expect(isSorted, "keys rise", sourceLocation: sourceLocation)
        // Point reads take another path through LevelDB; one in sixteen is enough for large databases.
        for (index, entry) in rising.enumerated() where rising.count < 256 || index % 16 == 0 {
            let value = try database.value(forKey: entry.key)
            #expect(value == entry.value, "entry \(index) by its key", sourceLocation: sourceLocation)
        }
        try database.close()
    } catch {
        Issue.record("the database at \(path) fails its check: \(error)", sourceLocation: sourceLocation)
    }
}

// MARK: - Entries

/// A key with its value.
struct Entry: Hashable, CustomStringConvertible {
    var key: [UInt8]
    var value: [UInt8]

    var description: String { "\(hex(key))=\(hex(Array(value.prefix(16))))" }
}

/// Returns the entries that a new cursor visits, in order.
func entries(of reader: some KeyValueReader, in range: KeyRange = .all, reverse: Bool = false) throws(LevelError)
    -> [Entry]
{
    var cursor = try reader.cursor(in: range, direction: reverse ? .descending : .ascending)
    var result: [Entry] = []
    while try cursor.advance() { result.append(Entry(key: cursor.key.copied(), value: cursor.value.copied())) }
    return result
}

/// Returns the keys that a new cursor visits, in order.
func keys(of reader: some KeyValueReader, in range: KeyRange = .all, reverse: Bool = false) throws(LevelError)
    -> [[UInt8]]
{
    try entries(of: reader, in: range, reverse: reverse).map(\.key)
}

func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Returns a key that orders by its number.
func numberedKey(_ number: Int) -> [UInt8] { utf8(String(format: "key%06d", number)) }

/// Returns the ``LevelError`` that `body` throws, or `nil` if it throws none.
func thrownError(_ body: () throws -> Void) -> LevelError? {
    do {
        try body()
        return nil
    } catch {
        return error as? LevelError
    }
}

/// Returns the code of the ``LevelError`` that `body` throws, or `nil` if it throws none.
func code(_ body: () throws -> Void) -> LevelError.Code? { thrownError(body)?.code }

// MARK: - Files

/// Returns the sorted names of the files in a directory.
func fileNames(in directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
}

/// Expects a directory to contain exactly the files with these sorted names.
func expectFiles(
    _ names: [String], in directory: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let found = try fileNames(in: directory)
    #expect(found == names, sourceLocation: sourceLocation)
}

/// Returns the paths of the files of one kind in a directory, such as `log` or `ldb`, in ascending order of their
/// numbers.
func files(ofKind kind: String, in directory: String) throws -> [String] {
    try fileNames(in: directory).filter { $0.hasSuffix("." + kind) }.map { directory + "/" + $0 }
}

func content(of path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

/// Replaces the content of a file, which need not exist.
func write(_ bytes: some Sequence<UInt8>, to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

/// Returns every file in a directory with its content, except the lock file and the info log.
func contents(of directory: String) throws -> [String: [UInt8]] {
    var result: [String: [UInt8]] = [:]
    for name in try fileNames(in: directory) where !["LOCK", "LOG", "LOG.old"].contains(name) {
        result[name] = try content(of: directory + "/" + name)
    }
    return result
}

/// Copies the files of a database that is not open.
///
/// `LOCK` is left out: opening and closing it would release this process's lock on the original, if it held one.
func copyDatabase(from source: String, to target: String) throws {
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    for name in try fileNames(in: source) where name != "LOCK" {
        try write(try content(of: source + "/" + name), to: target + "/" + name)
    }
}
