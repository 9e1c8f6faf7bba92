import DocIndex
import TestSupport
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Renditions in the shell` {
    private static func make(_ place: Workplace, _ arguments: String...) throws -> Outcome {
        try place.run(["renditions", "make", "--write", "photos.store"] + arguments)
    }

    @Test func `Missing renditions are made once, and those that cannot be made are rows with the reason`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            let first = try Self.make(place, "photos")
            #expect(first.code == 0, "\(first)")
            #expect(first.says("2 made, 2 cannot be made, 1 file is not a picture"), "\(first)")
            #expect(first.lines.count == 2 && first.output.contains(#""name":"broken.jpg""#), "\(first)")
            #expect(first.output.contains(#""reason":"damaged""#))
            let again = try Self.make(place)
            #expect(again.says("0 made, 2 already stored") && !again.says("no document refers to"), "\(again)")
            let list = try place.run("renditions", "list", "photos.store")
            #expect(list.lines.count == 2 && list.output.contains(#"{"size":"preview","pictures":1,"#), "\(list)")
            let dryRun = try place.run("renditions", "drop", "-n", "photos.store")
            #expect(dryRun.code == 0 && dryRun.says("would delete 2 renditions"), "\(dryRun)")
            #expect(try place.run("renditions", "list", "photos.store").lines == list.lines)
            let dropped = try place.run("renditions", "drop", "--write", "photos.store")
            #expect(dropped.code == 0 && dropped.says("deleted 2 renditions"), "\(dropped)")
            #expect(try !place.names(in: "photos.store").contains("renditions"))
            #expect(try place.run("renditions", "list", "photos.store").lines.isEmpty)
            #expect(try Self.make(place, "--sizes", "full").says("1 made"))
            let deleted = try place.run("doc", "del", "--write", "photos.store", "photos", "2019-07-14-0031")
            #expect(deleted.code == 0, "\(deleted)")
            #expect(try !Self.make(place, "photos").says("no document refers to"))
            #expect(try Self.make(place).says("deleted 1 rendition of pictures that no document refers to"))
        }
    }

    @Test func `Renditions that the limit on the disk deletes are told apart: those of this run, and earlier ones`()
        throws
    {
        try Workplace.with { place in
            try place.attachPictures()
            let picture = try place.read("good.jpg")
            for number in 0..<12 { try place.write(picture + [UInt8(number)], to: "made-\(number).jpg") }
            let added = try place.shell(
                "lkrepl attach add --write photos.store photos 2021-02-13-0016 'files[]' made-*.jpg")
            try #require(added.code == 0, "\(added)")
            let store = try DocumentStore.open(at: place.path + "/photos.store")
            let photos = try store.collection("photos")
            func originals(_ id: DocumentID) throws -> [DocIndex.Attachment] {
                var found: [DocIndex.Attachment] = []
                try photos.document(id)?.content.forEachAttachment { found.append($0) }
                return found
            }
            let sizes = try RenditionsCommand.specifications("thumbnail")
            func make(_ originals: [DocIndex.Attachment], _ limit: Int64) throws -> (RenditionBatches.Evictions, Int) {
                let batches = RenditionBatches(of: store, sizes, diskByteCount: limit)
                defer { batches.close() }
                var summary = RenditionBatches.Summary()
                for original in originals { _ = try batches.make([original], &summary) }
                return (batches.evictions(summary), summary.madeCount)
            }
            let others = try originals("2021-02-13-0016")
            let (none, count) = try make(Array(others.prefix(4)), 1 << 20)
            #expect(none == .init() && count == 4)
            let byteCount = try #require(try place.run("renditions", "list", "photos.store").lines.first)
            let four = try #require(byteCount.matches(of: /"bytes":(\d+)/).first.flatMap { Int64($0.output.1) })
            // Four fit: making two more deletes two earlier ones.
            let (earlier, two) = try make(Array(others[4..<6]), four)
            #expect(earlier == .init(ownCount: 0, earlierCount: 2) && two == 2)
            #expect(RenditionsCommand.Make.text(earlier)?.hasPrefix("2 stored earlier were deleted, the least") == true)
            let (both, six) = try make(Array(others[6..<12]), four)
            #expect(both == .init(ownCount: 2, earlierCount: 4) && six == 6)
            #expect(
                RenditionsCommand.Make.text(both)?.hasPrefix("2 of them were deleted again, 4 stored earlier were")
                    == true)
            try store.close()
        }
    }

    @Test func `Without --write, and for a size that does not exist, nothing is made`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            #expect(try place.run("renditions", "make", "photos.store").code == 77)
            #expect(try place.run("renditions", "drop", "photos.store").code == 77)
            for (sizes, unknown) in [("thumbnail,large", "large"), ("", ""), ("full,", "")] {
                let outcome = try Self.make(place, "--sizes", sizes)
                #expect(outcome.code == 64 && outcome.says("unknown size \"\(unknown)\""), "\(outcome)")
            }
            #expect(try !place.names(in: "photos.store").contains("renditions"))
        }
    }

    @Test func `Without attached files there is nothing to make, and for a store without pictures neither`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let none = try Self.make(place)
            #expect(none.code == 0 && none.says("there are no attached files"), "\(none)")
            try place.attachPicture()
            let text = try Self.make(place)
            #expect(text.code == 0 && text.says("0 made, 1 file is not a picture"), "\(text)")
            #expect(text.output.isEmpty)
        }
    }

    @Test func `renditions make fails and names the directory if it is not writable`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            try place.write("mine", to: "photos.store/renditions")
            let outcome = try Self.make(place)
            #expect(outcome.code == 74 && outcome.says("photos.store/renditions"), "\(outcome)")
            // It is not a directory of the store.
            #expect(try place.run("renditions", "drop", "--write", "photos.store").says("there are none"))
            #expect(try place.read("photos.store/renditions") == Array("mine".utf8))
        }
    }

    @Test func `The commands of one shell follow each other`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            let outcome = try place.run(
                "photos.store", "--write", "-c", "renditions make -q; renditions list; renditions drop; renditions make"
            )
            #expect(outcome.code == 0 && outcome.output.contains(#"{"size":"preview","pictures":1,"#), "\(outcome)")
            #expect(outcome.says("deleted 2 renditions") && outcome.says("2 made, 2 cannot be made"), "\(outcome)")
        }
    }

    @Test func `Copies and dumps have no renditions, a check ignores them, and destroying deletes them`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            let dump = try place.dump("photos.store")
            #expect(try Self.make(place).code == 0)
            #expect(try place.names(in: "photos.store").contains("renditions"))
            #expect(try place.dump("photos.store") == dump)
            #expect(try place.run("verify", "photos.store", "--full").code == 0)
            #expect(try place.run("snapshot", "photos.store", "copy.store").code == 0)
            #expect(try !place.names(in: "copy.store").contains("renditions"))
            #expect(try place.run("diff", "photos.store", "copy.store").code == 0)
            let destroyed = try place.run("destroy", "--write", "photos.store", "--confirm", "photos.store")
            #expect(destroyed.code == 0 && destroyed.says("deleted photos.store"), "\(destroyed)")
            #expect(!place.has("photos.store"))
        }
    }

    @Test func `Files of others in the directory survive when the store is destroyed`() throws {
        try Workplace.with { place in
            try place.attachPictures()
            #expect(try Self.make(place).code == 0)
            let made = try place.shell(
                "mkdir -p photos.store/renditions/mine && echo x > photos.store/renditions/mine/x")
            #expect(made.code == 0)
            let destroyed = try place.run("destroy", "--write", "photos.store", "--confirm", "photos.store")
            #expect(destroyed.code == 0 && destroyed.says("renditions"), "\(destroyed)")
            #expect(try place.names(in: "photos.store/renditions") == ["mine"])
        }
    }

    @Test(.enabled(if: SharedTestData.has("photos"), "the pictures in ../shared/data/photos are not there"))
    func `After a kill at any time, the next run continues, and no rendition is damaged`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let attached = try place.shell(
                "lkrepl attach add -q --write photos.store photos 2019-07-14-0031 'files[]' "
                    + "'\(SharedTestData.path(of: "photos"))'/*.jpg")
            try #require(attached.code == 0, "\(attached)")
            var random = TestRun.random(stream: 831)
            for _ in 0..<TestRun.rounds(8, long: 100) {
                let seconds = Double(random.number(below: 1500)) / 1000
                _ = try place.shell(
                    "timeout -s KILL \(seconds + 0.05) lkrepl renditions make -q --write photos.store; exit 0")
                if random.once(in: 4) { try? place.remove("photos.store/renditions") }
            }
            let made = try place.run("renditions", "make", "--write", "photos.store", "--sizes", "thumbnail")
            #expect(made.code == 0, "\(made)")
            let list = try place.run("renditions", "list", "photos.store")
            #expect(list.output.contains(#"{"size":"thumbnail","pictures":36,"#), "\(list)")
            #expect(try place.run("verify", "photos.store", "--full").code == 0)
            // Every file is a whole picture.
            let files = try place.shell(
                "for file in $(find photos.store/renditions -name '*.jpg'); do tail -c 2 \"$file\" | od -An -tx1; done | "
                    + "sort | uniq")
            #expect(files.lines.allSatisfy { $0 == " ff d9" }, "\(files)")
        }
    }
}
