import Foundation
import LevelKit
import Testing

@Suite struct OpeningPathTests {
    @Test func `An empty path is rejected`() {
        #expect(code { _ = try Database.open(at: "") } == .invalidArgument)
    }

    @Test(arguments: ["~", "~/photos.db", "~user/photos.db"])
    func `A path that starts with a tilde is rejected with a hint, because only shells expand it`(path: String) throws {
        let error = try #require(thrownError { _ = try Database.open(at: path) })
        #expect(error.code == .invalidArgument)
        #expect(error.message.contains("NSHomeDirectory()"))
        #expect(error.message.contains("./\(path)"))
    }

    @Test func `A path with a NUL byte is rejected, not truncated`() throws {
        try withTemporaryDirectory { directory in
            let error = try #require(throws: LevelError.self) { try Database.open(at: directory + "/db\0x") }
            #expect(error.code == .invalidArgument)
            #expect(error.message.contains("NUL"))
            try expectFiles([], in: directory)
        }
    }

    @Test func `A database opened by a relative path keeps its keys after a change of directory`() async throws {
        try await withSharedDirectory { directory in
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                #expect(FileManager.default.changeCurrentDirectoryPath(directory))
                let first = try Database.open(at: "a/../db")
                for number in 0..<200 { try first.put([1], forKey: numberedKey(number)) }
                try first.compact()
                try first.close()
                // Tables are opened at their first read, which here is after the change of directory.
                let database = try Database.open(at: "./db")
                #expect(database.path == directory + "/db")
                #expect(FileManager.default.changeCurrentDirectoryPath("/"))
                for number in 0..<200 { #expect(try database.value(forKey: numberedKey(number)) == [1]) }
                #expect(try keys(of: database).count == 200)
                try database.put([2], forKey: numberedKey(200))
                try database.compact()
                try database.close()
            }
            try expectFiles(["db"], in: directory)
            let database = try Database.open(at: directory + "/db")
            #expect(try keys(of: database).count == 201)
        }
    }

    @Test func `A relative path in a deleted directory throws`() async throws {
        try await withSharedDirectory { directory in
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                // Ends the process if the path resolution never terminates.
                alarm(20)
                let gone = directory + "/gone"
                try FileManager.default.createDirectory(atPath: gone, withIntermediateDirectories: false)
                #expect(FileManager.default.changeCurrentDirectoryPath(gone))
                try FileManager.default.removeItem(atPath: gone)
                #expect(code { _ = try Database.open(at: "db") } != nil)
                #expect(code { _ = try Database.open(at: "../db") } != nil)
            }
            try expectFiles([], in: directory)
        }
    }

    @Test func `A second open in the same process is rejected under every spelling of the path`() async throws {
        try await withSharedDirectory { directory in
            let path = directory + "/a/db"
            let database = try Database.open(at: path)
            try database.put("1", forKey: "a")
            try FileManager.default.createSymbolicLink(atPath: directory + "/link", withDestinationPath: path)
            try FileManager.default.createSymbolicLink(atPath: directory + "/up", withDestinationPath: directory + "/a")
            let spellings = [
                path, path + "/", path + "//", path + "/.", directory + "/a/../a/db", directory + "//a/./db",
                directory + "/link", directory + "/link/", directory + "/up/db", directory + "/missing/../a/db",
            ]
            for spelling in spellings {
                let error = try #require(throws: LevelError.self) { try Database.open(at: spelling) }
                #expect(error.code == .locked, "\(spelling)")
                #expect(error.message.contains("this process"))
            }
            // The rejected opens have not released the lock against other processes, as LevelDB's own would.
            await expectAnotherProcess(getsLockOn: path, false)
            try database.put("2", forKey: "b")
            try database.close()
            await expectAnotherProcess(getsLockOn: path, true)
            for spelling in spellings {
                let database = try Database.open(at: spelling)
                #expect(database.path == path)
                #expect(try keys(of: database) == [utf8("a"), utf8("b")])
                try database.close()
            }
        }
    }

    @Test func `A dangling symbolic link is an error and is not changed`() throws {
        try withTemporaryDirectory { directory in
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/link", withDestinationPath: directory + "/nowhere")
            #expect(code { _ = try Database.open(at: directory + "/link") } == .io)
            try expectFiles(["link"], in: directory)
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: directory + "/link")
                    == directory + "/nowhere")
        }
    }

    @Test(arguments: ["ä ö ü", "日本語", "\u{301}accent", "with\nnewline", "~", "-rf", "a'\"b"])
    func `Any name that the file system accepts works as a database name`(name: String) throws {
        try withTemporaryDirectory { directory in
            let database = try Database.open(at: directory + "/above/" + name)
            try database.put("1", forKey: "a")
            try database.close()
            try expectFiles(["above"], in: directory)
            let names = try fileNames(in: directory + "/above")
            #expect(names.map(utf8) == [utf8(name)])
        }
    }

    @Test func `A name that is too long fails with io and leaves nothing behind`() throws {
        try withTemporaryDirectory { directory in
            let name = String(repeating: "x", count: 300)
            #expect(code { _ = try Database.open(at: directory + "/a/" + name) } == .io)
            try expectFiles([], in: directory)
        }
    }
}
