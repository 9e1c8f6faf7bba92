import DocIndex
import LevelKit
import TestSupport
import Testing

@testable import StorePackages

@Suite struct `Hostile packages` {
    /// Makes packages that differ from a sound one: in bytes anywhere, or in what a forger with a correct zip writer can
    /// change, so that later checks are reached.
    private struct Forger {
        let whole: [UInt8]
        let files: [(name: String, bytes: [UInt8])]
        var random: SplitMix64

        mutating func next() throws -> [UInt8] {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3: return changed(whole, count: Int.random(in: 1...4, using: &random))
            case 3: return spliced(whole)
            case 4: return try zip(files.shuffled(using: &random))
            default: return try forged()
            }
        }

        /// Changes files, and mends the digests in the description.
        private mutating func forged() throws -> [UInt8] {
            var files = files
            let target = Int.random(in: 0..<files.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: files[target].bytes = spliced(files[target].bytes)
            case 1: files[target].name = Self.names.randomElement(using: &random) ?? ""
            case 2: files.remove(at: target)
            case 3: files.append(files[target])
            default: files[target].bytes = changed(files[target].bytes, count: Int.random(in: 1...3, using: &random))
            }
            guard let text = files.last(where: { $0.name == "package.json" })?.bytes, Bool.random(using: &random),
                var object = try? JSONParser().parse(text).objectValue
            else { return try zip(files) }
            let others = files.filter { $0.name != "package.json" }
            object["files"] = .array(
                others.map { file in
                    var sum = ContentSum()
                    sum.add(file.bytes)
                    return [
                        "name": .string(file.name), "bytes": .int(Int64(file.bytes.count)),
                        "sha256": .string(sum.digest?.description ?? ""),
                    ]
                })
            return try zip(others + [("package.json", Array(DocumentValue.object(object).json.utf8))])
        }

        private static let names = [
            "../../x", "/etc/x", "blobs/../x", "index.html", "package.json", "pictures/0001 a.jpg", "a\0b", "..",
            "documents.lkd.jsonl", "renditions/preview/x.jpg", String(repeating: "n", count: 70_000),
        ]

        private func zip(_ files: [(name: String, bytes: [UInt8])]) throws -> [UInt8] {
            let sink = PackedStore.Sink()
            var zip = ZipWriter { sink.bytes += $0 }
            for file in files { try zip.write(file.bytes, named: file.name) }
            try zip.finish()
            return sink.bytes
        }

        private mutating func changed(_ bytes: [UInt8], count: Int) -> [UInt8] {
            guard !bytes.isEmpty else { return [0] }
            var bytes = bytes
            for _ in 0..<count {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] =
                    [0, 0xff, 0x7f, 0x22, 0x5b, UInt8.random(in: 0...255, using: &random)]
                    .randomElement(using: &random) ?? 0
            }
            return bytes
        }

        private mutating func spliced(_ bytes: [UInt8]) -> [UInt8] {
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let other = Int.random(in: 0...bytes.count, using: &random)
            return Array(bytes[..<cut] + bytes[other...])
        }
    }

    @Test func `Any file is opened, or refused with an error that says why, on a small stack`() throws {
        try PackedStore.withPackage(numbers: [0, 1, 2]) { _, path, directory in
            let whole = try read(path)
            let package = try Package(at: path)
            var files: [(name: String, bytes: [UInt8])] = []
            for entry in package.manifest.entries {
                var bytes: [UInt8] = []
                try package.read(entry.name) { bytes += $0 }
                files.append((entry.name, bytes))
            }
            files.append(("package.json", package.manifest.json))
            var forger = Forger(whole: whole, files: files, random: TestRun.random(stream: 52))
            let forged = directory + "/forged.zip"
            var openedCount = 0
            for round in 0..<TestRun.rounds(300, long: 100_000) {
                try write(forger.next(), to: forged)
                let outcome = withSmallStack { Self.outcome(forged) }
                #expect(outcome?.isTyped == true, "round \(round): \(outcome?.text ?? ""); \(TestRun.repetition)")
                if outcome?.text == "" { openedCount += 1 }
            }
            // Some change only what the gallery or the documents say.
            #expect(openedCount > 0)
        }
    }

    /// Opens and reads a package. An empty text stands for success.
    private static func outcome(_ path: String) -> (isTyped: Bool, text: String) {
        do {
            let store = try DocumentStore.open(package: path, verifiesEverything: true)
            for collection in store.collections {
                try collection.forEach { document in
                    try document.content.forEachAttachment { attachment in
                        do {
                            _ = try store.attachments.bytes(of: attachment)
                        } catch let error as DocIndexError
                            where error.code == .attachmentElsewhere || error.code == .attachmentDamaged
                        {}
                    }
                }
            }
            try store.close()
            return (true, "")
        } catch let error as PackageError {
            return (true, error.message)
        } catch let error as DocIndexError {
            return (true, error.message)
        } catch {
            return (error is LevelError, "\(error)")
        }
    }
}
