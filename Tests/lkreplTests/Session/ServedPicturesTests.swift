import DocIndex
import Foundation
import Inspector
import Synchronization
import TestSupport
import Testing

@testable import lkrepl

/// Thumbnails and previews for the pages of `lkrepl serve`.
@Suite(.waitsForPrograms) struct `Pictures of a server` {
    /// Runs `body` with a server's session of a store, and its attached files: a picture, a broken one, a text.
    private static func with(
        write: Bool, _ body: (Workplace, ServedSession, [DocIndex.Attachment]) throws -> Void
    ) throws {
        try Workplace.with { place in
            try place.attachPictures()
            let path = place.path + "/photos.store"
            let session = try Session(path: path, access: DatabaseAccess(isExclusive: write, isQuiet: true))
            let files = try attachments(of: "2019-07-14-0031", in: session)
            try #require(files.count == 3)
            let served = ServedSession(session, checksEveryBlock: false)
            try body(place, served, files)
            try served.current.close()
        }
    }

    private static func attachments(of id: DocumentID, in session: Session) throws -> [DocIndex.Attachment] {
        var files: [DocIndex.Attachment] = []
        try session.store().collection("photos").document(id)?.content.forEachAttachment { files.append($0) }
        return files
    }

    /// Waits for a picture, on a thread of its own.
    private static func picture(
        _ pictures: ServedPictures, _ original: DocIndex.Attachment, _ size: ShownSize
    ) throws -> [UInt8]? {
        let result = Mutex<Result<[UInt8]?, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Task(executorPreference: OwnThreads.shared) {
            let outcome: Result<[UInt8]?, any Error>
            do {
                outcome = .success(try await pictures.picture(of: original, size))
            } catch {
                outcome = .failure(error)
            }
            result.withLock { $0 = outcome }
            isDone.signal()
        }
        try #require(isDone.wait(timeout: .now() + ChildProcess.hangLimit) == .success)
        return try #require(result.withLock { $0 }).get()
    }

    private static func isPicture(_ bytes: [UInt8]?) -> Bool { bytes?.starts(with: [0xff, 0xd8, 0xff]) == true }

    @Test func `A package without originals has the pictures that were packed`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            let packed = try place.run("pack", "photos.store", "photos", "-o", "a.lkpack.zip")
            try #require(packed.code == 0, "\(packed)")
            let access = DatabaseAccess(isExclusive: false, isQuiet: true)
            let session = try Session(path: place.path + "/a.lkpack.zip", access: access)
            let files = try Self.attachments(of: "2019-07-14-0031", in: session)
            try #require(files.count == 3)
            let served = ServedSession(session, checksEveryBlock: false)
            let pictures = ServedPictures(served)
            for size in ShownSize.allCases {
                #expect(try Self.isPicture(Self.picture(pictures, files[0], size)), "\(size)")
                #expect(try Self.picture(pictures, files[2], size) == nil, "\(size)")
            }
            #expect(try served.renewed() == nil)
            try served.current.close()
        }
    }

    @Test func `A store that is open for reading has pictures of every size, and nothing is written`() throws {
        try Self.with(write: false) { place, served, files in
            let before = try place.shell("find photos.store | sort").lines
            let pictures = ServedPictures(served)
            for size in ShownSize.allCases {
                let picture = try Self.picture(pictures, files[0], size)
                #expect(Self.isPicture(picture), "\(size)")
                #expect(try Self.picture(pictures, files[0], size) == picture)
                #expect(try Self.picture(pictures, files[1], size) == nil)
                #expect(try Self.picture(pictures, files[2], size) == nil)
            }
            #expect(try place.shell("find photos.store | sort").lines == before)
        }
    }

    @Test func `A store that is open for writing keeps the pictures, and the command lists them meanwhile`() throws {
        try Self.with(write: true) { place, served, files in
            let pictures = ServedPictures(served)
            let picture = try Self.picture(pictures, files[0], .thumbnail)
            #expect(Self.isPicture(picture))
            let line = #"{"size":"thumbnail","pictures":1,"bytes":\#(picture?.count ?? 0)}"# + "\n"
            let list = try place.run("renditions", "list", "photos.store")
            #expect(list.code == 0 && list.output == line, "\(list)")
            let console = try StoreConsole(served).run("renditions list", .programs, byteLimit: 1000)
            #expect(console.results == line, "\(console)")
            // Another process can neither make nor delete any meanwhile.
            for command in ["make", "drop"] {
                let locked = try place.run("renditions", command, "--write", "photos.store")
                #expect(locked.code == 75, "\(locked)")
            }
            // Deleted while it is in use, the directory is made again.
            try place.remove("photos.store/renditions")
            #expect(Self.isPicture(try Self.picture(pictures, files[0], .preview)))
            #expect(try place.run("renditions", "list", "photos.store").output.contains("preview"))
        }
    }

    @Test func `Pictures that another process attaches are shown after the store is reopened`() throws {
        try Self.with(write: false) { place, served, files in
            let pictures = ServedPictures(served)
            #expect(Self.isPicture(try Self.picture(pictures, files[0], .thumbnail)))
            try place.write(try place.read("good.jpg") + [0], to: "new.jpg")
            let outcome = try place.run(
                "attach", "add", "--write", "photos.store", "photos", "scan-0001", "f", "new.jpg")
            #expect(outcome.code == 0, "\(outcome)")
            let made = try place.run("renditions", "make", "--write", "photos.store")
            #expect(made.says("2 made, 2 already stored") || made.says("4 made"), "\(made)")
            #expect(try served.renewed() != nil)
            let new = try #require(try Self.attachments(of: "scan-0001", in: served.current).first)
            let before = try place.shell("find photos.store | sort").lines
            #expect(Self.isPicture(try Self.picture(pictures, new, .thumbnail)))
            #expect(try place.shell("find photos.store | sort").lines == before)
        }
    }
}
