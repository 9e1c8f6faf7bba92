import LevelFiles
import LevelKit
import TestSupport
import Testing

@Suite struct `Key history` {
    @Test func `A key's history contains all its versions if nothing was compacted`() throws {
        var random = TestRun.random(stream: 0x4157)
        for _ in 0..<TestRun.rounds(3, long: 40) {
            try withTemporaryDirectory { directory in
                let sample = try SampleDatabase(
                    at: directory + "/db", count: 600, keyCount: 12, reopens: false, compacts: false, random: &random)
                let files = try DatabaseFiles(at: sample.path)
                for key in Set(sample.operations.map(\.key)) {
                    let history = KeyHistory(of: key, in: files)
                    let expected = Array(sample.operations.filter { $0.key == key }.reversed())
                    #expect(history.faults.isEmpty)
                    #expect(history.versions.map(\.sequence) == expected.map(\.sequence), "\(TestRun.repetition)")
                    #expect(
                        history.versions.map { $0.kind == .put ? $0.value : nil } == expected.map(\.value),
                        "\(TestRun.repetition)")
                    #expect(history.versions.filter(\.isCurrent).map(\.sequence) == [expected[0].sequence])
                }
                #expect(KeyHistory(of: Array("key/none".utf8), in: files).versions.isEmpty)
            }
        }
    }

    @Test func `A key's history contains only written versions, including the newest`() throws {
        var random = TestRun.random(stream: 0x4158)
        var options = DatabaseOptions()
        options.writeBufferByteCount = 64 << 10
        for _ in 0..<TestRun.rounds(3, long: 40) {
            try withTemporaryDirectory { directory in
                let sample = try SampleDatabase(
                    at: directory + "/db", count: 4_000, keyCount: 60, reopens: true, compacts: true, options: options,
                    random: &random)
                let files = try DatabaseFiles(at: sample.path)
                let content = sample.content
                for key in Set(sample.operations.map(\.key)) {
                    let history = KeyHistory(of: key, in: files)
                    #expect(history.faults.isEmpty)
                    let written = Set(sample.operations.filter { $0.key == key })
                    for version in history.versions {
                        let operation = SampleDatabase.Operation(
                            sequence: version.sequence, key: key, value: version.kind == .put ? version.value : nil)
                        #expect(written.contains(operation), "\(TestRun.repetition)")
                    }
                    let current = history.versions.first(where: \.isCurrent)
                    #expect((current?.kind == .put ? current?.value : nil) == content[key], "\(TestRun.repetition)")
                }
            }
        }
    }

    @Test func `The history of a key with a custom order covers every table`() throws {
        try withTemporaryDirectory { directory in
            let options = ForeignOrder.options("test.reversed", isReversed: true)
            let database = try Database.open(at: directory + "/db", options: options)
            for number in 0..<500 { try database.put("\(number)", forKey: "k\(number)") }
            try database.compact()
            try database.put("new", forKey: "k7")
            try database.close()
            let history = KeyHistory(of: Array("k7".utf8), in: try DatabaseFiles(at: directory + "/db"))
            #expect(history.versions.map { String(decoding: $0.value, as: UTF8.self) } == ["new", "7"])
        }
    }
}
