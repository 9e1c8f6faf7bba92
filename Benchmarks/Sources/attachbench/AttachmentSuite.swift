import DocIndex
import Foundation
import Harness

#if canImport(Glibc)
    import Glibc
#endif

/// All comparisons, one after the other.
struct AttachmentSuite {
    let directory: String
    var rounds = 5
    var sizes = [64 << 10, 256 << 10, 1 << 20, 4 << 20]
    /// The bytes that each side adds in a round.
    var roundByteCount = 32 << 20
    /// Attachments in files, for a checkpoint.
    var fileCount = 10_000
    /// Attachments in the database, for opening.
    var smallCount = 100_000
    var pictureCount = 10_000

    private(set) var lines: [Line] = []

    init(directory: String) { self.directory = directory }

    private mutating func add(_ line: Line) {
        lines.append(line)
        say("\(line.text)  \(line.peerName)")
    }

    /// Different bytes for each number.
    private static func content(_ number: Int, byteCount: Int) -> [UInt8] {
        var random = SplitMix64(state: UInt64(number) &* 0x1_0000_0001)
        return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            let words = UnsafeMutableRawBufferPointer(buffer)
            for offset in stride(from: 0, to: byteCount - 7, by: 8) {
                words.storeBytes(of: random.next(), toByteOffset: offset, as: UInt64.self)
            }
            for offset in (byteCount / 8 * 8)..<byteCount { words[offset] = 7 }
            count = byteCount
        }
    }

    // MARK: - Adding and reading

    /// Adds the same attachments to each side, and reads them. The side that goes first changes with each round.
    mutating func contents() throws {
        let sides: [(name: String, side: any ContentSide)] = [
            ("", try StoreSide(directory: directory)), ("files", try PlainFiles(directory: directory + "/files")),
            ("SQLite", try BlobSide(directory: directory)),
        ]
        for size in sizes {
            let count = max(1, roundByteCount / size)
            var added = sides.map { _ in [Cost]() }
            var read = sides.map { _ in [Cost]() }
            // The first round warms up.
            for round in 0...rounds {
                let contents = (0..<count).map { number in
                    (
                        name: "\(size)-\(round)-\(number)",
                        bytes: Self.content(lines.count << 20 + round << 10 + number, byteCount: size)
                    )
                }
                for step in sides.indices {
                    let position = (step + round) % sides.count
                    let side = sides[position].side
                    // What others have still to write is not counted for this one.
                    sync()
                    let cost = try Cost { for content in contents { try side.add(content.bytes, name: content.name) } }
                    if round > 0 { added[position].append(cost) }
                }
                for step in sides.indices {
                    let position = (step + round) % sides.count
                    let side = sides[position].side
                    var isEqual = true
                    let cost = try Cost {
                        for content in contents { isEqual = try side.read(content.name).count == size && isEqual }
                    }
                    guard isEqual, try side.read(contents[0].name) == contents[0].bytes else {
                        throw BenchmarkError("an attachment of \(sides[position].name) differs")
                    }
                    if round > 0 { read[position].append(cost) }
                }
            }
            let name = size < 1 << 20 ? "\(size >> 10) KiB" : "\(size >> 20) MiB"
            for (verb, costs) in [("add", added), ("read, checked", read)] {
                for position in 1..<sides.count {
                    let title = verb == "add" || position == 1 ? verb : "read, checked; SQLite unchecked"
                    add(
                        Line(
                            "\(title), \(name)", unit: "µs", peerName: sides[position].name,
                            divisor: Double(count) * 1e3, rounds: Array(zip(costs[0], costs[position]))))
                }
            }
        }
        for (_, side) in sides { try side.close() }
    }

    // MARK: - Many attachments

    /// A checkpoint of a store with many files, beside hard links of the same files.
    mutating func checkpoints() throws {
        let path = directory + "/many"
        let side = try StoreSide(directory: path)
        let store = side.store
        let count = fileCount
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in stride(from: thread, to: count, by: 4) {
                do {
                    let bytes = Self.content(number, byteCount: DocumentStore.Attachments.inlineByteCount + 1)
                    let content = try store.attachments.add(bytes)
                    try store.collection("photos").put(["id": .string("\(number)"), "original": .attachment(content)])
                } catch {
                    say("attachbench: \(error)")
                }
            }
        }
        guard try store.attachments.census().fileCount == count else { throw BenchmarkError("attachments are missing") }
        var costs: [(ours: Cost, peer: Cost)] = []
        for round in 0..<rounds {
            let (copy, links) = ("\(path)/copy-\(round)", "\(path)/links-\(round)")
            sync()
            costs.append(
                try inTurn(round) {
                    try Cost { try store.checkpoint(to: copy) }
                } peer: {
                    try Cost { try Self.run("/bin/cp", "-al", "\(path)/store/attachments", links) }
                })
            for copy in [copy, links] { try FileManager.default.removeItem(atPath: copy) }
        }
        add(Line("checkpoint with \(count) attachments", unit: "ms", peerName: "cp -al", divisor: 1e6, rounds: costs))
        try side.close()
    }

    /// Opening a store with many small attachments, beside the same number of documents that take as many bytes
    /// without: opening takes time for each table file.
    mutating func openings() throws {
        for name in ["with", "without"] {
            let side = try StoreSide(directory: "\(directory)/\(name)")
            var number = 0
            while number < smallCount {
                var documents: [DocumentObject] = []
                for _ in 0..<min(1000, smallCount - number) {
                    let content = name == "with" ? try side.store.attachments.add(Array("content \(number)".utf8)) : nil
                    documents.append([
                        "id": .string("\(number)"),
                        "original": content.map { .attachment($0) } ?? .string(Self.text(number)),
                    ])
                    number += 1
                }
                try side.store.write { transaction in
                    for document in documents { try transaction.put(document, in: "photos") }
                }
            }
            try side.close()
        }
        func open(_ name: String) throws -> Cost {
            var side: StoreSide?
            let cost = try Cost { side = try StoreSide(directory: "\(directory)/\(name)") }
            try side?.close()
            return cost
        }
        // The first openings put the rest of the log into tables.
        _ = (try open("with"), try open("without"))
        let sizes = ["with", "without"].map { Int(byteCount(of: "\(directory)/\($0)/store")) >> 10 }
        say("databases with and without attachments: \(sizes[0]) and \(sizes[1]) KiB")
        let costs = try (0..<(3 * rounds)).map { round in
            try inTurn(round) {
                try open("with")
            } peer: {
                try open("without")
            }
        }
        add(
            Line(
                "open, \(smallCount) attachments", unit: "ms", peerName: "without attachments", divisor: 1e6,
                rounds: costs))
    }

    /// A string that takes as many bytes as a reference, a record of an attachment and its content, and cannot be
    /// compressed.
    private static func text(_ number: Int) -> String {
        String(content(number, byteCount: 56).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    private static let digits = Array("0123456789abcdef")

    // MARK: - Pictures

    /// Imports pictures of 2 MB with the shell, beside a program that copies them one by one with the same syncs.
    mutating func pictures(_ lkrepl: String) throws {
        let pictures = directory + "/pictures"
        try FileManager.default.createDirectory(atPath: pictures, withIntermediateDirectories: true)
        for number in 0..<pictureCount {
            let path = "\(pictures)/\(String(format: "IMG_%05d.jpg", number))"
            try Data(Self.jpeg(number)).write(to: URL(fileURLWithPath: path))
        }
        let schema = directory + "/schema.json"
        try Data(#"{"collections": {"photos": {"id": "SourceFile"}}}"#.utf8).write(to: URL(fileURLWithPath: schema))
        let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
        var costs: [(ours: Cost, peer: Cost)] = []
        for round in 0..<rounds {
            let (store, copy) = ("\(directory)/pictures-\(round).store", "\(directory)/copy-\(round)")
            try Self.run(lkrepl, "init", "-q", store, "--schema", schema)
            sync()
            // Each result is deleted at once, so that the disk need not hold the pictures three times.
            costs.append(
                try inTurn(round) {
                    let cost = try Cost {
                        try Self.run(
                            lkrepl, "import", "-q", "--write", store, "photos", "--photos", pictures, "--attach",
                            "original")
                    }
                    try Self.remove(store)
                    return cost
                } peer: {
                    let cost = try Cost { try Self.run(own, "copy", pictures, copy) }
                    try Self.remove(copy)
                    return cost
                })
        }
        add(
            Line(
                "import \(pictureCount) pictures of 2 MB", unit: "s", peerName: "copying, same syncs", divisor: 1e9,
                rounds: costs))
        var usage = rusage()
        // RUSAGE_CHILDREN, whose type differs between systems.
        getrusage(-1, &usage)
        #if canImport(Glibc)
            let byteCount = usage.ru_maxrss << 10
        #else
            let byteCount = usage.ru_maxrss
        #endif
        say("largest resident memory of lkrepl, exiftool and the copying program: \(byteCount >> 20) MiB")
    }

    private static func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
        sync()
    }

    /// A picture with a valid header and random pixels.
    private static func jpeg(_ number: Int) -> [UInt8] {
        var bytes: [UInt8] = [0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]
        bytes += [0xff, 0xc0, 0, 11, 8, 0x0b, 0xb8, 0x0f, 0xa0, 1, 1, 0x11, 0]
        bytes += [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]
        bytes += content(number, byteCount: 2_000_000).map { $0 == 0xff ? 0xfe : $0 }
        return bytes + [0xff, 0xd9]
    }

    private static func run(_ program: String, _ arguments: String...) throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: program)
        child.arguments = arguments
        child.standardOutput = FileHandle.nullDevice
        try child.run()
        child.waitUntilExit()
        guard child.terminationStatus == 0 else { throw BenchmarkError("\(program) \(arguments) failed") }
    }
}
