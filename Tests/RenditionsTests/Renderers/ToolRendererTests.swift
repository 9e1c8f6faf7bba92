import Pictures
import TestSupport
import Testing

@testable import Renditions

@Suite struct `Other programs render with limits` {
    private static let hasTool: Bool = {
        let isThere = LimitedProcess.path(of: "vipsthumbnail") != nil
        if !isThere { print("skipped: vipsthumbnail is not installed (libvips-tools)") }
        return isThere
    }()

    private static func run(
        _ program: String, _ arguments: String..., input: [UInt8] = [], time: Duration = .seconds(20)
    ) throws(RenditionError) -> [UInt8] {
        var limits = RenderingLimits()
        limits.toolTime = time
        limits.toolByteCount = 64 << 20
        return try LimitedProcess(program: program, arguments: arguments, limits: limits).run(input: input)
    }

    @Test func `A program reads the input and its output is returned`() throws {
        let input = AttachedPhotos.bytes(300_000, seed: 4)
        #expect(try Self.run("/bin/cat", input: input) == input)
        #expect(try Self.run("/bin/cat").isEmpty)
        // Without a name in a directory, or a variable of this process.
        let environment = String(decoding: try Self.run("/usr/bin/env"), as: UTF8.self)
        #expect(environment.split(separator: "\n").count == 3, "\(environment)")
    }

    @Test func `A program that fails, crashes or is missing is reported as a problem`() {
        #expect(throws: RenditionError.self) { try Self.run("/bin/false") }
        #expect(throws: RenditionError.self) { try Self.run("/bin/sh", "-c", "kill -SEGV $$") }
        #expect(throws: RenditionError.self) { try Self.run("/nonexistent") }
    }

    @Test func `A program that takes too long is ended`() async throws {
        try await within {
            for arguments in [["-c", "sleep 300"], ["-c", "exec >&-; sleep 300"]] {
                var limits = RenderingLimits()
                limits.toolTime = .milliseconds(300)
                let process = LimitedProcess(program: "/bin/sh", arguments: arguments, limits: limits)
                let problem = #expect(throws: RenditionError.self) { try process.run(input: []) }
                #expect(problem?.code == .timedOut)
            }
        }
    }

    @Test func `A program is ended when the task is canceled`() async throws {
        try await within {
            let task = Task(executorPreference: OwnThreads.shared) { () -> RenditionError.Code? in
                do throws(RenditionError) {
                    _ = try Self.run("/bin/sleep", "300")
                    return nil
                } catch {
                    return error.code
                }
            }
            await pause(for: .milliseconds(200))
            task.cancel()
            #expect(await task.value == .cancelled)
        }
    }

    #if os(Linux)
        @Test func `A program that needs too much memory, or writes large files, fails`() throws {
            // tail keeps a line without an end in memory.
            #expect(throws: RenditionError.self) { try Self.run("/usr/bin/tail", "/dev/zero") }
            try withTemporaryDirectory { directory in
                let path = directory + "/written"
                #expect(throws: RenditionError.self) {
                    try Self.run("/bin/dd", "if=/dev/zero", "of=" + path, "bs=100k", "count=50")
                }
                let byteCount = try? TestFiles.byteCount(of: path)
                #expect((1...1 << 20).contains(byteCount ?? 0))
            }
        }
    #endif

    @Test func `A program that writes without end is ended`() async throws {
        try await within {
            var limits = RenderingLimits()
            limits.byteCount = 1 << 20
            let process = LimitedProcess(program: "/bin/cat", arguments: ["/dev/zero"], limits: limits)
            let problem = #expect(throws: RenditionError.self) { try process.run(input: []) }
            #expect(problem?.code == .tooLarge)
        }
    }

    @Test(.enabled(if: hasTool, "needs vipsthumbnail"))
    func `PNG files are rendered in each size`() throws {
        let pixels = MadePictures.gradient(width: 400, height: 300)
        for (specification, width) in [(RenditionSpecification.thumbnail, 256), (.preview, 400), (.full, 400)] {
            let rendition = try RendererChain().render(Picture(MadePictures.png(pixels)), as: specification)
            #expect(rendition.width == width && rendition.height == width * 3 / 4)
            let header = try #require(JPEGHeader(rendition.bytes))
            #expect(header.width == width && header.componentCount == 3)
            #expect(JPEGSegments(in: rendition.bytes).allSatisfy { ![0xe1, 0xed, 0xfe].contains($0.marker) })
        }
    }

    @Test(.enabled(if: hasTool, "needs vipsthumbnail"))
    func `A damaged PNG file is reported as a problem`() throws {
        let png = MadePictures.png(MadePictures.gradient(width: 40, height: 30))
        for end in [16, 20, 33] {
            let problem = #expect(throws: RenditionError.self) {
                try RendererChain().render(Picture(Array(png[..<end])), as: .thumbnail)
            }
            #expect(problem?.code == .damaged)
        }
    }

    #if !canImport(ImageIO)
        @Test(.enabled(if: LimitedProcess.path(of: "exiftool") != nil, "needs exiftool"))
        func `The preview in a raw file that is not TIFF is rendered, and turned as it says`() throws {
            let preview = MadePictures.file(
                try TurboJPEG.encode(MadePictures.gradient(width: 640, height: 480), quality: 90),
                adding: MadePictures.exif(orientation: 6))
            let rendition = try RendererChain().render(Picture(MadePictures.raf(preview: preview)), as: .thumbnail)
            #expect(rendition.width == 192 && rendition.height == 256)
            let problem = #expect(throws: RenditionError.self) {
                try RendererChain().render(Picture(Array(MadePictures.raf(preview: preview)[..<160])), as: .thumbnail)
            }
            #expect(problem?.code == .damaged)
        }
    #endif
}
