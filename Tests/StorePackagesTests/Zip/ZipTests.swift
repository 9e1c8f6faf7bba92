import LevelKit
import TestSupport
import Testing

@testable import StorePackages

@Suite struct `Zip files` {
    @Test func `The checksum is that of the standard, for every length and in any parts`() {
        var check = CRC32()
        check.update(Array("123456789".utf8))
        #expect(check.value == 0xcbf4_3926)
        let bytes = AttachedPhotos.bytes(100, seed: 1)
        for count in 0...bytes.count {
            var state = UInt32.max
            for byte in bytes.prefix(count) {
                state ^= UInt32(byte)
                for _ in 0..<8 { state = state & 1 == 1 ? state >> 1 ^ 0xedb8_8320 : state >> 1 }
            }
            var parts = CRC32()
            parts.update(Array(bytes.prefix(count / 3)))
            parts.update(Array(bytes.prefix(count).dropFirst(count / 3)))
            #expect(parts.value == ~state)
        }
    }

    @Test(arguments: [0, 1, UInt64(UInt32.max) - 1, UInt64(UInt32.max), 1 << 40], [0, 7, UInt64(UInt32.max), 1 << 41])
    func `A header reads back, with numbers of any size`(byteCount: UInt64, offset: UInt64) {
        let entry = ZipEntry(name: "blobs/ä", checksum: 0x1234_5678, byteCount: byteCount, offset: offset)
        var position = 3
        let read = ZipEntry(central: [1, 2, 3] + entry.centralHeader + [9], at: &position)
        #expect(read == entry)
        #expect(position == 3 + entry.centralHeader.count)
        #expect(UInt64(entry.localHeader.count) == entry.localHeaderByteCount)
    }

    @Test func `A header with any other byte is refused`() {
        for byteCount in [5, UInt64(UInt32.max)] {
            let entry = ZipEntry(name: "index.html", checksum: 7, byteCount: byteCount, offset: 1)
            let header = entry.centralHeader
            for index in header.indices {
                var changed = header
                changed[index] ^= 0x41
                var position = 0
                let read = ZipEntry(central: changed, at: &position)
                #expect(read != entry, "byte \(index)")
            }
        }
    }

    @Test(arguments: [(2, 100), (0xffff, 100), (3, 1 << 33)])
    func `The end reads back, with and without Zip64`(count: UInt64, offset: UInt64) {
        let end = ZipEnd(entryCount: count, directoryOffset: offset, directoryByteCount: 50)
        #expect(ZipEnd(endOf: end.bytes) == end)
        #expect(ZipEnd(endOf: [0, 0, 0] + end.bytes) == end)
        #expect(ZipEnd(endOf: end.bytes + [0]) == nil)
        #expect(end.bytes.count == (count == 2 ? ZipEnd.smallByteCount : ZipEnd.largeByteCount))
    }

    @Test func `More entries than 16 bits can count are read, and the limit is kept`() throws {
        try withTemporaryDirectory { directory in
            let sink = PackedStore.Sink()
            var zip = ZipWriter { sink.bytes += $0 }
            for number in 0..<70_000 { try zip.write([], named: "pictures/\(number)") }
            try zip.finish()
            let path = directory + "/many.zip"
            try write(sink.bytes, to: path)
            let read = try ZipDirectory(ContentReader(path: path))
            #expect(read.entries == zip.entries)
            #expect(read["pictures/69999"] == zip.entries.last)
        }
    }
}
