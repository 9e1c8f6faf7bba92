import DocIndex
import Foundation
import GRDB
import Harness
import LevelKit

#if canImport(Glibc)
    import Glibc
#endif

// The types below have methods with the names of these functions.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
private func readDescriptor(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
private func writeDescriptor(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}

/// Stores attachments under names, each one safe from a loss of power when the call returns, and reads them.
protocol ContentSide {
    func add(_ bytes: [UInt8], name: String) throws
    func read(_ name: String) throws -> [UInt8]
    func close() throws
}

/// An attachment, then a document that refers to it in a synced commit.
struct StoreSide: ContentSide {
    let store: DocumentStore
    private let photos: DocumentCollection

    init(directory: String) throws {
        store = try DocumentStore.open(
            at: directory + "/store", schema: Schema(collections: [CollectionDefinition("photos")]))
        photos = try store.collection("photos")
    }

    func add(_ bytes: [UInt8], name: String) throws {
        let content = try store.attachments.add(bytes, type: "image/jpeg", name: name)
        try photos.put(["id": .string(name), "original": .attachment(content)], durability: .synced)
    }

    /// The digest is checked.
    func read(_ name: String) throws -> [UInt8] {
        guard case .attachment(let content)? = try photos.document(.string(name))?["original"] else {
            throw BenchmarkError("there is no document \(name)")
        }
        return try store.attachments.bytes(of: content)
    }

    func close() throws { try store.close() }
}

/// Files that are written under another name, flushed, renamed, and whose directory is flushed.
///
/// Adding one also appends a record to a file and flushes it, as a program does that notes which photo has which file.
struct PlainFiles: ContentSide {
    private let path: String
    private let descriptor: Int32
    /// The file with the records.
    private let log: Int32

    init(directory: String) throws {
        path = directory
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        log = open(path + ".log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0, log >= 0 else { throw BenchmarkError("cannot open \(path)") }
    }

    func add(_ bytes: [UInt8], name: String) throws {
        try write(name) { file in
            try bytes.withUnsafeBytes { try Self.write($0, to: file) }
        }
        let record = Array(#"{"id":"\(name)","original":{"bytes":\(bytes.count),"type":"image/jpeg"}}\n"#.utf8)
        try record.withUnsafeBytes { try Self.write($0, to: log) }
        guard flush(log) == 0 else { throw BenchmarkError("cannot write \(path).log") }
    }

    /// Flushes appended bytes.
    private func flush(_ file: Int32) -> Int32 {
        #if canImport(Glibc)
            fdatasync(file)
        #else
            fsync(file)
        #endif
    }

    func copy(_ source: String, name: String) throws {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw BenchmarkError("cannot open \(source)") }
        defer { closeDescriptor(input) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        try write(name) { file in
            while true {
                let count = readDescriptor(input, buffer.baseAddress, buffer.count)
                guard count >= 0 else { throw BenchmarkError("cannot read \(source)") }
                if count == 0 { return }
                try Self.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: file)
            }
        }
    }

    private func write(_ name: String, _ body: (Int32) throws -> Void) throws {
        let file = openat(descriptor, ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BenchmarkError("cannot create a file in \(path)") }
        defer { closeDescriptor(file) }
        try body(file)
        guard fsync(file) == 0, renameat(descriptor, ".new", descriptor, name) == 0, fsync(descriptor) == 0 else {
            throw BenchmarkError("cannot finish \(path)/\(name)")
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = writeDescriptor(file, rest.baseAddress, rest.count)
            guard count > 0 else { throw BenchmarkError("cannot write a file") }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    func read(_ name: String) throws -> [UInt8] {
        let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard file >= 0, fstat(file, &status) == 0 else { throw BenchmarkError("cannot open \(name)") }
        defer { closeDescriptor(file) }
        return try [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            while count < buffer.count {
                let part = readDescriptor(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
                guard part > 0 else { throw BenchmarkError("cannot read \(name)") }
                count += part
            }
        }
    }

    func close() throws {
        closeDescriptor(descriptor)
        closeDescriptor(log)
    }
}

/// A row with the content as a BLOB, in a transaction of its own.
struct BlobSide: ContentSide {
    private let queue: DatabaseQueue

    init(directory: String) throws {
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -65536")
        }
        queue = try DatabaseQueue(path: directory + "/blobs.sqlite", configuration: configuration)
        // After the queue is open: for WAL, GRDB sets `synchronous = NORMAL` itself, which does not sync commits.
        let level = try queue.inDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            return try Int.fetchOne(database, sql: "PRAGMA synchronous")
        }
        guard level == 2 else { throw BenchmarkError("SQLite does not sync each commit") }
        try queue.write {
            try $0.execute(sql: "CREATE TABLE photo (id TEXT PRIMARY KEY, type TEXT, original BLOB NOT NULL)")
        }
    }

    func add(_ bytes: [UInt8], name: String) throws {
        // As in a program that has its pictures as `Data`; the bytes are bound without another copy.
        let data = Data(bytes)
        try queue.write { database in
            try database.cachedStatement(sql: "INSERT INTO photo VALUES (?, ?, ?)")
                .execute(arguments: [name, "image/jpeg", data])
        }
    }

    /// Nothing is checked.
    func read(_ name: String) throws -> [UInt8] {
        try queue.inDatabase { database in
            let rows = try Row.fetchCursor(
                database.cachedStatement(sql: "SELECT original FROM photo WHERE id = ?"), arguments: [name])
            guard let row = try rows.next() else { throw BenchmarkError("there is no row \(name)") }
            return try row.withUnsafeData(atIndex: 0) { Array($0 ?? Data()) }
        }
    }

    func close() throws { try queue.close() }
}
