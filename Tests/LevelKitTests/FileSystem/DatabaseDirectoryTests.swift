import Foundation
import Testing

@testable import LevelKit

@Suite struct DatabaseDirectoryTests {
    @Test(arguments: [
        ("db", "/db"), ("db/", "/db"), ("db//", "/db"), ("./db", "/db"), ("db/.", "/db"), ("a/b/db", "/a/b/db"),
        ("a//b///db", "/a/b/db"), ("a/./b/./db", "/a/b/db"), ("a/../db", "/db"), ("a/b/../db", "/a/db"),
        ("a/b/../../db", "/db"), ("a/b/c/../../../db", "/db"), ("a/./../db", "/db"), ("a/../b/../db", "/db"),
        ("a/b/..", "/a"), ("a/b/../..", ""), (".", ""), ("real/..", ""), ("real/a/../../db", "/db"),
        ("real/../real/db", "/real/db"), ("link/db", "/real/db"), ("link/a/../../db", "/db"), ("real", "/real"),
    ])
    func `A path is made absolute and normalized even if it does not exist`(given: String, expected: String) throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory + "/real", withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/link", withDestinationPath: directory + "/real")
            #expect(try DatabaseDirectory(directory + "/" + given).path == directory + expected)
        }
    }

    @Test func `A relative path is resolved against the working directory`() throws {
        let here = try DatabaseDirectory(".").path
        #expect(here.hasPrefix("/"))
        let name = "missing-\(UUID().uuidString)"
        for spelling in [name, "./\(name)", "\(name)/", "x-\(name)/../\(name)", "x-\(name)/y/../../\(name)"] {
            #expect(try DatabaseDirectory(spelling).path == here + "/" + name, "\(spelling)")
        }
        #expect(try DatabaseDirectory("\(name)/..").path == here)
    }

    @Test func `The root directory resolves to itself`() throws {
        #expect(try DatabaseDirectory("/").path == "/")
        #expect(try DatabaseDirectory("/..").path == "/")
        #expect(try DatabaseDirectory("//").path == "/")
        #expect(try DatabaseDirectory("/").file("CURRENT") == "/CURRENT")
        #expect(try DatabaseDirectory("/missing-\(UUID().uuidString)/../../../missing-x").path == "/missing-x")
    }

    @Test(arguments: [
        ([], DatabaseDirectory.Content.empty), (["LOCK"], .empty), (["LOG", "LOG.old", "LOCK"], .empty),
        (["CURRENT"], .database), (["CURRENT", "notes.txt"], .database), (["000003.log", "CURRENT"], .database),
        (["notes.txt"], .foreign), (["LOCK", "notes.txt"], .foreign), (["current"], .foreign), ([".log"], .foreign),
        (["a.ldb", "x1.log", "12.txt", "1.log.gz", "MANIFEST"], .foreign),
        (["000003.log"], .databaseWithoutCurrent), (["000005.ldb", "notes.txt"], .databaseWithoutCurrent),
        (["notes.txt", "MANIFEST-000001"], .foreign), (["7.sst"], .databaseWithoutCurrent),
        (["LOCK", "MANIFEST-000001", "000001.dbtmp"], .empty), (["MANIFEST-1", "3.log"], .databaseWithoutCurrent),
    ])
    func `File names determine what a directory contains`(
        names: [String], expected: DatabaseDirectory.Content
    ) throws {
        try withTemporaryDirectory(leavesDamage: true) { directory in
            for name in names { try write([], to: directory + "/" + name) }
            #expect(try DatabaseDirectory(directory).content() == expected)
        }
    }

    @Test func `A missing path and a regular file are distinguished from a directory`() throws {
        try withTemporaryDirectory { directory in
            try write([], to: directory + "/file")
            #expect(try DatabaseDirectory(directory + "/missing").content() == .missing)
            #expect(try DatabaseDirectory(directory + "/file").content() == .notADirectory)
        }
    }

    @Test func `Directories that were created with their parents are deleted, and only those that are empty`() throws {
        try withTemporaryDirectory { directory in
            let isThere = { FileStatus(path: directory + $0)?.isDirectory == true }
            let made = try MadeDirectories(DatabaseDirectory(directory + "/a/b/db"))
            #expect(isThere("/a/b/db"))
            try MadeDirectories(DatabaseDirectory(directory + "/a/b/db")).remove()
            #expect(isThere("/a/b/db"), "it existed before")
            try write([], to: directory + "/a/file")
            made.remove()
            #expect(isThere("/a") && !isThere("/a/b"))
        }
    }

    @Test func `A directory that cannot be created leaves none of its new parents behind`() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/a/b/" + String(repeating: "x", count: 300)
            let error = try #require(throws: LevelError.self) { try MadeDirectories(DatabaseDirectory(path)) }
            #expect(error.code == .io)
            #expect(error.cause?.isEmpty == false)
            try expectFiles([], in: directory)
        }
    }

    @Test func `Two paths lead to the same file if and only if their identities are equal`() throws {
        try withTemporaryDirectory { directory in
            try write([], to: directory + "/a")
            try write([], to: directory + "/b")
            try FileManager.default.linkItem(atPath: directory + "/a", toPath: directory + "/c")
            let (a, b, c) = (
                FileStatus(path: directory + "/a"), FileStatus(path: directory + "/b"),
                FileStatus(path: directory + "/c")
            )
            #expect(a?.identity == c?.identity)
            #expect(a?.identity != b?.identity)
            #expect(a?.isDirectory == false)
            #expect(FileStatus(path: directory)?.isDirectory == true)
            #expect(FileStatus(path: directory + "/d") == nil)
        }
    }
}
