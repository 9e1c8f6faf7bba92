import Foundation
import LevelKit
import TestSupport
import Testing

@Suite struct DestroyTests {
    private let directory: TemporaryDirectory

    /// Creates a closed database `db`.
    init() throws {
        directory = try TemporaryDirectory()
        let database = try Database.open(at: directory.path("db"))
        for index in 0..<100 { try WriterHistory.perform(UInt64(index), on: database) }
        try database.close()
    }

    private func code(_ name: String = "db") -> LevelError.Code? {
        do throws(LevelError) {
            try Database.destroy(at: directory.path(name))
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `Destroying a database deletes its directory`() throws {
        #expect(try Database.destroy(at: directory.path("db")) == [])
        #expect(try directory.names(in: ".") == [])
    }

    @Test func `Destroying a database keeps files that are not LevelDB's`() throws {
        try directory.write("mine".utf8, to: "db/notes.txt")
        try directory.write("mine".utf8, to: "db/MANIFEST-draft")
        #expect(try Database.destroy(at: directory.path("db")) == ["MANIFEST-draft", "notes.txt"])
        #expect(try directory.names(in: "db") == ["MANIFEST-draft", "notes.txt"])
        #expect(code() == .databaseNotFound)
    }

    /// Makes the directory of renditions that a document store has, with a rendition in a file.
    private func makeRenditions() throws {
        try Database.open(at: directory.path("db/renditions/index")).close()
        let digest = String(repeating: "ab", count: 32)
        try FileManager.default.createDirectory(
            atPath: directory.path("db/renditions/preview/ab"), withIntermediateDirectories: true)
        for suffix in ["jpg", "jpg.new"] {
            try directory.write("picture".utf8, to: "db/renditions/preview/ab/\(digest).\(suffix)")
        }
    }

    @Test func `Destroying a store deletes its renditions`() throws {
        try makeRenditions()
        #expect(try Database.destroy(at: directory.path("db")) == [])
        #expect(try directory.names(in: ".") == [])
    }

    @Test func `Destroying a store keeps other files among the renditions, and follows no link`() throws {
        try makeRenditions()
        try directory.write("mine".utf8, to: "db/renditions/preview/ab/mine.jpg")
        try FileManager.default.createDirectory(atPath: directory.path("other/ab"), withIntermediateDirectories: true)
        let picture = String(repeating: "ab", count: 32) + ".jpg"
        try directory.write("other".utf8, to: "other/ab/" + picture)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("db/renditions/full"), withDestinationPath: directory.path("other"))
        #expect(try Database.destroy(at: directory.path("db")) == ["renditions"])
        #expect(try directory.names(in: "db/renditions") == ["full", "preview"])
        #expect(try directory.names(in: "db/renditions/preview/ab") == ["mine.jpg"])
        #expect(try directory.names(in: "other/ab") == [picture])
    }

    @Test func `An open database is not destroyed, and stays locked`() throws {
        let database = try Database.open(at: directory.path("db"))
        #expect(code() == .locked)
        #expect(try WriterHistory.prefix(of: database) == 100)
        #expect(throws: WriterProcess.Failure.self) { try WriterProcess(database: directory.path("db")) }
        try database.close()
        #expect(code() == nil)
    }

    @Test func `A database that another process has open is not destroyed`() throws {
        let writer = try WriterProcess(database: directory.path("live"))
        let error = #expect(throws: LevelError.self) { try Database.destroy(at: directory.path("live")) }
        #expect(error?.code == .locked)
        #expect(error?.message.contains("\(writer.processIdentifier)") == true)
        let count = try writer.stop()
        let database = try Database.open(at: directory.path("live"))
        #expect(try WriterHistory.prefix(of: database) == count)
        try database.close()
    }

    @Test func `Destroying does not touch a directory of other files, whatever their names`() throws {
        try FileManager.default.createDirectory(atPath: directory.path("mine"), withIntermediateDirectories: false)
        let names = ["000012.log", "CURRENT", "LOG", "MANIFEST-000001", "letter.txt"]
        for name in names { try directory.write("dear reader".utf8, to: "mine/" + name) }
        #expect(code("mine") == .corruption)
        #expect(try directory.names(in: "mine") == names)
        try FileManager.default.removeItem(atPath: directory.path("mine/CURRENT"))
        #expect(code("mine") != nil)
        #expect(try directory.names(in: "mine") == names.filter { $0 != "CURRENT" })
    }

    @Test func `Destroying a missing database creates nothing`() throws {
        #expect(code("nowhere") == .databaseNotFound)
        #expect(try directory.names(in: ".") == ["db"])
    }

    @Test func `A database with a damaged manifest is not destroyed`() throws {
        let name = "db/" + (try Manifest(ofDatabaseAt: directory.path("db")).name)
        var bytes = try directory.read(name)
        bytes[8] ^= 1
        try directory.write(bytes, to: name)
        let names = try directory.names(in: "db")
        #expect(code() == .corruption)
        #expect(try directory.names(in: "db") == names)
    }
}
