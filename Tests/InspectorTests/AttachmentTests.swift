import DocIndex
import DocSync
import Synchronization
import TestSupport
import Testing

@testable import Inspector

@Suite struct `Attachments in the inspector` {
    /// A JPEG file with an embedded small picture, and the bytes of that picture.
    static func camera(isBigEndian: Bool) -> (file: [UInt8], small: [UInt8]) {
        let small: [UInt8] = [0xff, 0xd8, 0xff, 0xdb] + AttachedPhotos.bytes(500, seed: 7) + [0xff, 0xd9]
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isBigEndian ? bytes.reversed() : bytes
        }
        func entry(_ tag: Int, _ value: Int) -> [UInt8] {
            number(tag, 2) + number(4, 2) + number(1, 4) + number(value, 4)
        }
        var tiff = Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
        tiff += number(1, 2) + entry(0x0100, 640) + number(26, 4)
        tiff += number(2, 2) + entry(0x0201, 56) + entry(0x0202, small.count) + number(0, 4)
        tiff += number(0, 56 - tiff.count >= 0 ? 56 - tiff.count : 0) + small
        let payload = Array("Exif\0\0".utf8) + tiff
        let length = payload.count + 2
        let file: [UInt8] =
            [0xff, 0xd8, 0xff, 0xe1, UInt8(length >> 8), UInt8(length & 255)] + payload + [0xff, 0xda, 0, 0]
        return (file, small)
    }

    @Test func `Pictures are served as what they are, everything else as a download`() async throws {
        try await withInspectedStore(photoCount: 0) { inspected in
            let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + AttachedPhotos.bytes(100, seed: 1)
            let contents: [(bytes: [UInt8], said: String, served: String?)] = [
                (Self.camera(isBigEndian: false).file, "text/html", "image/jpeg"), (png, "image/png", "image/png"),
                (Array("GIF89a....".utf8), "image/gif", "image/gif"),
                (Array("RIFF....WEBPVP8 ".utf8), "image/webp", "image/webp"),
                (Array("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>".utf8), "image/svg+xml", nil),
                (Array("<html><script>alert(1)</script>".utf8), "text/html", nil),
                (Array("<html><script>alert(1)</script>".utf8) + [0], "image/jpeg", nil), ([], "image/png", nil),
                (Array("%PDF-1.4".utf8), "application/pdf", nil),
            ]
            for (bytes, said, served) in contents {
                let attachment = try inspected.store.attachments.add(bytes, type: said, name: "a b\".x")
                let link = "/attachments/\(attachment.digest)?name=a%20b%22.x"
                let answer = try await inspected.get(link)
                #expect(answer.status == 200 && answer.bytes == bytes, "\(said)")
                #expect(answer.fields["Content-Type"] == served ?? "application/octet-stream")
                #expect(answer.fields["Content-Security-Policy"]?.hasPrefix("sandbox") == true)
                #expect(answer.fields["Cache-Control"]?.contains("immutable") == true)
                let disposition = answer.fields["Content-Disposition"]
                #expect(disposition == (served == nil ? "attachment; filename*=UTF-8''a%20b%22.x" : nil))
                let same = try await inspected.get("/api/v1/attachments/\(attachment.digest)")
                #expect(same.bytes == bytes)
            }
        }
    }

    @Test func `Parts of an attachment, small pictures and unknown digests`() async throws {
        try await withInspectedStore(photoCount: 0) { inspected in
            let (file, small) = Self.camera(isBigEndian: true)
            let camera = try inspected.store.attachments.add(file, type: "image/jpeg", name: nil)
            let link = "/attachments/\(camera.digest)"
            let part = try await inspected.send(inspected.request(link, fields: ["Range": "bytes=2-5"]))
            #expect(part.status == 206 && part.bytes == Array(file[2...5]))
            let beyond = try await inspected.send(inspected.request(link, fields: ["Range": "bytes=99999-"]))
            #expect(beyond.status == 416)
            let tag = try #require(try await inspected.get(link).fields["ETag"])
            #expect(try await inspected.send(inspected.request(link, fields: ["If-None-Match": tag])).status == 304)
            let head = try await inspected.send(inspected.request(link, method: .head))
            #expect(head.status == 200 && head.fields["Content-Length"] == "\(file.count)")
            let embedded = try await inspected.get(link + "?rendition=embedded")
            #expect(embedded.bytes == small && embedded.fields["Content-Type"] == "image/jpeg")
            let text = try inspected.store.attachments.add(Array("text".utf8), type: "image/jpeg", name: nil)
            #expect(try await inspected.get("/attachments/\(text.digest)?rendition=embedded").status == 404)
            let none = String(repeating: "0", count: 64)
            for target in ["/attachments/\(none)", "/attachments/x", "/attachments", "/attachments/\(none)/x"] {
                #expect(try await inspected.get(target).status == 404, "\(target)")
            }
            #expect(try await inspected.get(link + "?rendition=large").status == 400)
            #expect(try await inspected.get(link + "?width=5").status == 400)
        }
    }

    @Test func `The grid shows every picture once, by months, and each opens above the page`() async throws {
        try await withInspectedStore(photoCount: 10) { inspected in
            let photos = try inspected.store.collection("photos")
            #expect(!(try await inspected.get("/c/photos")).text.contains("view=grid"))
            for number in 0..<10 {
                var photo = InspectedStore.photo(number)
                var file = Self.camera(isBigEndian: number % 2 == 0).file
                file.append(UInt8(number))
                photo["original"] = .attachment(
                    try inspected.store.attachments.add(file, type: "image/jpeg", name: "\(number).jpg"))
                if number < 8 { try photos.put(photo) }
            }
            #expect((try await inspected.get("/c/photos")).text.contains("view=grid"))
            var link = "/c/photos?view=grid&limit=3"
            var digests: [String] = []
            while true {
                let page = try await inspected.get(link)
                #expect(page.status == 200)
                let shown = page.text.matches(of: /<img src="\/attachments\/([0-9a-f]+)\?rendition=thumbnail"/)
                #expect(page.text.matches(of: /\?rendition=preview" alt/).count == shown.count)
                digests += shown.map { String($0.output.1) }
                #expect(page.text.matches(of: /class="lightbox" id="p[0-9]+"/).count == shown.count)
                #expect(page.text.contains("<h2>20"))
                guard let next = page.text.firstMatch(of: /href="([^"]*)" rel="next"/) else { break }
                link = String(next.output.1).replacing("&amp;", with: "&")
            }
            #expect(digests.count == 8 && Set(digests).count == 8)
            let document = try await inspected.get("/c/photos/doc/p1")
            #expect(document.text.contains(/<img src="\/attachments\/[0-9a-f]+\?rendition=preview"/))
        }
    }

    // MARK: - Pictures in other sizes

    /// A shell that makes pictures with `make`.
    private static func services(_ make: @escaping ShellServices.PictureMaker) -> ShellServices {
        let console = CommandConsole(commands: [], refusals: []) { _, _, _ in CommandConsole.Output() }
        return ShellServices(console: console, picture: make) { _ in [] }
    }

    private static func add(_ bytes: [UInt8], _ inspected: InspectedStore) throws -> String {
        "/attachments/\(try inspected.store.attachments.add(bytes, type: "image/jpeg", name: nil).digest)"
    }

    @Test func `Pictures that a shell makes are shown instead of embedded ones`() async throws {
        let made: [UInt8] = [0xff, 0xd8, 0xff, 1, 2, 3]
        let services = Self.services { original, size in
            original.byteCount > 100 ? made + Array(size.rawValue.utf8) : nil
        }
        try await withInspectedStore(photoCount: 0, services: services) { inspected in
            let camera = Self.camera(isBigEndian: true)
            let large = camera.file + [UInt8](repeating: 0, count: 2 << 20)
            for (bytes, form, expected) in [
                (camera.file, "thumbnail", made + Array("thumbnail".utf8)), (camera.file, "embedded", camera.small),
                // It is small enough to be its own preview.
                (camera.file, "preview", camera.file),
                (large, "preview", made + Array("preview".utf8)),
                // A format that browsers do not show.
                ([UInt8](repeating: 7, count: 200), "preview", made + Array("preview".utf8)),
            ] {
                let link = try Self.add(bytes, inspected) + "?rendition=" + form
                let answer = try await inspected.get(link)
                #expect(answer.status == 200 && answer.bytes == expected, "\(form)")
                #expect(answer.fields["Content-Type"] == "image/jpeg")
                #expect(answer.fields["Content-Security-Policy"] == "sandbox; default-src 'none'")
                let tag = try #require(answer.fields["ETag"])
                let same = try await inspected.send(inspected.request(link, fields: ["If-None-Match": tag]))
                #expect(same.status == 304 && same.bytes.isEmpty && same.fields["ETag"] == tag)
                #expect(same.fields["Cache-Control"] == answer.fields["Cache-Control"])
                let head = try await inspected.send(inspected.request(link, method: .head))
                #expect(head.status == 200 && head.fields["Content-Length"] == "\(expected.count)")
                if expected.starts(with: made) {
                    #expect(answer.fields["Cache-Control"]?.contains("immutable") == true)
                    let other = try await inspected.send(inspected.request(link, fields: ["If-None-Match": "\"0\""]))
                    #expect(other.status == 200)
                }
            }
        }
    }

    @Test func `Where no picture can be made, the embedded one or the content is shown, and not kept for long`()
        async throws
    {
        let camera = Self.camera(isBigEndian: false)
        let plain: [UInt8] = [0xff, 0xd8, 0xff] + AttachedPhotos.bytes(100, seed: 3)
        let services = Self.services { _, _ in nil }
        for services in [services, nil] {
            try await withInspectedStore(photoCount: 0, services: services) { inspected in
                for (bytes, form, expected) in [
                    (camera.file, "thumbnail", camera.small), (plain, "thumbnail", plain),
                    (camera.file, "preview", camera.file), (plain, "preview", plain),
                ] {
                    let answer = try await inspected.get(Self.add(bytes, inspected) + "?rendition=" + form)
                    #expect(answer.status == 200 && answer.bytes == expected)
                    // An app makes none, so that the next answer is the same.
                    let isKept = answer.fields["Cache-Control"]?.contains("immutable") == true
                    #expect(isKept == (services == nil), "\(form)")
                }
                let text = try Self.add(Array("text".utf8), inspected)
                #expect(try await inspected.get(text + "?rendition=thumbnail").status == 404)
                let whole = try await inspected.get(text + "?rendition=preview")
                #expect(whole.fields["Content-Disposition"]?.hasPrefix("attachment") == true)
            }
        }
    }

    @Test func `Making a picture has a time limit, and ends with its request`() async throws {
        let cancelledCount = Mutex(0)
        let services = Self.services { _, _ in
            while !Task.isCancelled { await pause(for: .milliseconds(5)) }
            cancelledCount.withLock { $0 += 1 }
            throw CancellationError()
        }
        try await withInspectedStore(photoCount: 0, services: services) { inspected in
            let original = try inspected.store.attachments.add(
                Self.camera(isBigEndian: true).file, type: "image/jpeg", name: nil)
            let reading = StoreReading(inspected.store, services: services, limits: InspectedStore.patient)
            let late = try await reading.picture(original, .thumbnail, within: .milliseconds(50))
            #expect(late == nil && cancelledCount.withLock { $0 } == 1)
            // Only the cancellation can end it.
            let request = Task(executorPreference: OwnThreads.shared) {
                try await reading.picture(original, .thumbnail)
            }
            await pause(for: .milliseconds(50))
            request.cancel()
            await #expect(throws: CancellationError.self) { try await request.value }
            #expect(cancelledCount.withLock { $0 } == 2)
        }
    }
}
