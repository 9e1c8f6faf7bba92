import Foundation
import TestSupport
import Testing

/// The memory of a separate process, so that other tests do not count.
@Suite struct ProcessMemoryTests {
    /// Nothing that the process keeps depends on the number of commits or reads: each commit replaces documents by
    /// others of the same size, words in memory are flushed to segments, and a snapshot that ends releases what it
    /// pinned: buffers, tables, and versions of the text index. If 1 in 10 snapshots were kept, the process would grow
    /// by almost twice the bound.
    ///
    /// With an arena of glibc's allocator for each thread, which keeps what the thread freed, the memory grows for
    /// minutes before it is level. With two arenas for all threads, the warm-up takes seconds.
    @Test
    func `Resident memory stays constant while readers constantly hold overlapping snapshots and two threads write`()
        throws
    {
        #if os(Linux)
            try withTemporaryDirectory { directory in
                let seconds = TestRun.rounds(12, long: 600)
                let process = try LoaderProcess(
                    [directory + "/s", "readers", "\(seconds)"], printingTo: directory + "/printed",
                    environment: ["MALLOC_ARENA_MAX": "2"])
                let end = process.wait(seconds: seconds + 120)
                let printed = try process.printed()
                #expect(end.reason == .exit && end.status == 0, "\(printed)")
                print("the memory grew by \(printed.lastCommit) KiB after the warm-up: \(printed.rest)")
                // A sanitizer's own memory would count: it keeps what was freed.
                #expect(printed.rest.count == 1 && (Sanitizer.isPresent || printed.lastCommit < 8 << 10))
            }
        #endif
    }

    /// Each byte of a text takes 9 bytes of memory, and each byte of an array of short strings 12: the document, its
    /// stored form in the batch, in the memtable and in the log, and its analyzed words. The store itself takes 9 MB.
    /// The bounds are a third above that, and at most 24 bytes.
    ///
    /// Four times the size takes four times the processor time; a step that looks at all words for each word, or copies
    /// the whole text for each, would take sixteen times as long.
    @Test(
        .enabled(if: !Sanitizer.isPresent, "a sanitizer's own memory would count"),
        arguments: [("text", 12), ("array", 16)])
    func `A large document is found by all its words, in time and memory in proportion to its size`(
        form: String, bound: Int
    ) throws {
        #if os(Linux)
            try withTemporaryDirectory { directory in
                let size = TestRun.rounds(6_000_000, long: 60_000_000)
                let times = try [size / 4, size].map { byteCount in
                    let process = try LoaderProcess(
                        [directory + "/\(byteCount)", "large", form, "\(byteCount)"],
                        printingTo: directory + "/printed")
                    let end = process.wait(seconds: 600)
                    let printed = try process.printed()
                    #expect(end.reason == .exit && end.status == 0, "\(printed)")
                    let growth = printed.lastCommit << 10
                    let time = printed.rest.first.flatMap { Int($0.filter(\.isNumber)) } ?? .max
                    print("\(byteCount) bytes of \(form): \(growth) bytes of memory, \(time) ms of processor time")
                    #expect(growth > 0 && growth < min(24 * byteCount, 12 << 20 + bound * byteCount))
                    return time
                }
                #expect(times[0] > 0 && times[1] / 8 < times[0])
            }
        #endif
    }
}
