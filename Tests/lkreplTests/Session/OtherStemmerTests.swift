import DocIndex
import Foundation
import Testing

@testable import lkrepl

/// A libstemmer that is replaced by another build, which treats one word differently.
@Suite(
    .waitsForPrograms,
    .enabled(
        if: OtherStemmer.original != nil,
        "skipped: lkrepl does not load libstemmer as a shared library, or ldd is missing"),
    .enabled(if: OtherStemmer.compiler != nil, "skipped: there is no C compiler")
)
struct `Other builds of the stemmer` {
    /// Creates a store of 8,995 documents, which are enough for a segment of the text index.
    private static func makeNotes(in place: Workplace) throws {
        let field = #"{"path":"text","analyzer":"english"}"#
        try place.write(
            #"{"collections":{"notes":{"indexes":{"t":{"type":"text","fields":[\#(field)]}}}}}"#, to: "schema.json")
        var lines = ["two harbours", "old harbour", "lighthouses", "a lighthouse"].enumerated().map { number, text in
            #"{"id":\#(number + 1),"text":"\#(text)"}"#
        }
        lines += (10...9000).map { #"{"id":\#($0),"text":"w"}"# }
        try place.write(lines.joined(separator: "\n") + "\n", to: "notes.jsonl")
        try #require(try place.run("init", "n.store", "--schema", "schema.json").code == 0)
        let imported = try place.run("import", "--write", "n.store", "notes", "notes.jsonl", "-q")
        try #require(imported.code == 0, "\(imported)")
    }

    /// Expects a search for a word to find exactly some documents.
    private static func expect(
        _ word: String, in place: Workplace, with library: [String: String] = [:], toFind ids: Set<String>
    ) throws {
        let outcome = try place.run(["search", "n.store", "notes", word, "--ids"], environment: library)
        #expect(outcome.code == 0 && Set(outcome.lines) == ids, "\(word): \(outcome)")
    }

    /// The word is in the vocabulary by which a command that cannot rebuild the index recognizes another stemmer.
    @Test func `With another build of the stemmer, a reading command answers as before or says that the stems differ`()
        throws
    {
        try Workplace.with { place in
            try Self.makeNotes(in: place)
            try Self.expect("harbours", in: place, toFind: ["1", "2"])
            let library = try OtherStemmer.build(for: "harbours", in: place)
            var refusalCount = 0
            for arguments in [
                ["search", "n.store", "notes", "harbours", "--ids"],
                ["search", "n.store", "notes", "harbour", "--count"],
                ["search", "n.store", "notes", "harbour", "--box", "--ids"],
                ["search", "n.store", "notes", "w -harbours"],
                ["find", "n.store", "notes", "SEARCH \"harbours\"", "--ids"],
                ["find", "n.store", "notes", "text *= harbour", "--ids"], ["find", "n.store", "notes", "--count"],
                ["facets", "n.store", "notes", "text", "--where", "SEARCH \"harbour\""],
                ["complete", "n.store", "notes", "harb"], ["suggest", "n.store", "notes", "harbor"],
                ["doc", "get", "n.store", "notes", "1"], ["n.store", "-q", "-c", "search notes harbours --ids"],
            ] {
                let before = try place.run(arguments)
                #expect(before.code == 0 && !before.lines.isEmpty, "\(arguments): \(before)")
                let outcome = try place.run(arguments, environment: library)
                if outcome.code == 0, outcome.bytes == before.bytes { continue }
                refusalCount += 1
                #expect(
                    outcome.code == 64 && outcome.bytes.isEmpty && outcome.says("different version of the stemmer"),
                    "\(arguments): \(outcome)")
            }
            #expect(refusalCount > 0)
            for arguments in [["verify", "n.store"], ["index", "check", "n.store", "notes"]] {
                let outcome = try place.run(arguments, environment: library)
                #expect(outcome.code == 65 && outcome.output.contains("stemmer"), "\(arguments): \(outcome)")
            }
        }
    }

    @Test(
        arguments: [
            ("harbours", "harbour", ["1", "2"], ["index", "rebuild", "--write", "n.store", "notes", "t"]),
            // A word outside of the vocabulary, so that only the identifier of the build differs.
            ("lighthouses", "lighthouse", ["3", "4"], ["migrate", "--write", "n.store", "schema.json"]),
        ] as [(String, String, [String], [String])])
    func `An index is rebuilt for another build of the stemmer, and again for the former build`(
        word: String, form: String, ids: [String], rebuilding: [String]
    ) throws {
        try Workplace.with { place in
            try Self.makeNotes(in: place)
            try Self.expect(form, in: place, toFind: Set(ids))
            let library = try OtherStemmer.build(for: word, in: place)
            // Without rebuilding, a search warns or is refused.
            let search = ["search", "n.store", "notes", form, "--ids"]
            let before = try place.run(search, environment: library)
            #expect(before.says("another build of the stemmer") || before.code == 64, "\(before)")
            #expect(try !place.run(search).says("another build of the stemmer"))
            let rebuilt = try place.run(rebuilding, environment: library)
            #expect(rebuilt.code == 0, "\(rebuilt)")
            #expect(try !place.run(search, environment: library).says("another build of the stemmer"))
            // No other word has its stem.
            try Self.expect(word, in: place, with: library, toFind: [ids[0]])
            try Self.expect(form, in: place, with: library, toFind: [ids[1]])
            let verified = try place.run(["verify", "n.store"], environment: library)
            #expect(verified.code == 0, "\(verified)")

            let restored = try place.run(rebuilding)
            #expect(restored.code == 0, "\(restored)")
            for word in [word, form] { try Self.expect(word, in: place, toFind: Set(ids)) }
        }
    }

    /// The program is this test, which has loaded the original library.
    @Test func `A program that opens a store for writing rebuilds the index of another build of the stemmer`() throws {
        try Workplace.with { place in
            try Self.makeNotes(in: place)
            let library = try OtherStemmer.build(for: "harbours", in: place)
            let rebuilt = try place.run(
                ["index", "rebuild", "--write", "n.store", "notes", "t"], environment: library)
            #expect(rebuilt.code == 0, "\(rebuilt)")
            let refused = try place.run("search", "n.store", "notes", "harbours", "--ids")
            #expect(refused.code == 64 && refused.says("different version of the stemmer"), "\(refused)")
            let store = try DocumentStore.open(at: place.path + "/n.store")
            #expect(try store.collection("notes").count(matching: TextQuery(parsing: "harbours")) == 2)
            try store.close()
            for word in ["harbours", "harbour"] { try Self.expect(word, in: place, toFind: ["1", "2"]) }
        }
    }

    @Test func `After a write with another build of the stemmer, no build searches the index until it is rebuilt`()
        throws
    {
        try Workplace.with { place in
            try Self.makeNotes(in: place)
            let library = try OtherStemmer.build(for: "harbours", in: place)
            let put = try place.run(
                ["doc", "put", "--write", "n.store", "notes", #"{"id":5,"text":"harbours"}"#], environment: library)
            #expect(put.code == 0, "\(put)")
            for environment in [library, [:]] {
                let outcome = try place.run(["search", "n.store", "notes", "harbour"], environment: environment)
                #expect(outcome.code == 64 && outcome.says("different version of the stemmer"), "\(outcome)")
            }
            #expect(try place.run("index", "rebuild", "--write", "n.store", "notes", "t").code == 0)
            try Self.expect("harbour", in: place, toFind: ["1", "2", "5"])
        }
    }
}

/// Builds of libstemmer that treat one word differently; see `Tests/Fixtures/other-stemmer`.
enum OtherStemmer {
    /// The libstemmer that lkrepl loads: the name that it asks for, and the file; `nil` if it loads none.
    static let original: (name: String, file: String)? = {
        guard let place = try? Workplace(),
            let listed = try? place.run(program: "/bin/sh", ["-c", "ldd \"$0\"", Binary.path].map { Array($0.utf8) })
        else { return nil }
        for line in listed.lines {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            if words.count > 2, words[0].hasPrefix("libstemmer"), words[1] == "=>", words[2].hasPrefix("/") {
                return (words[0], words[2])
            }
        }
        return nil
    }()

    /// The path of a C compiler.
    static let compiler = Installed.path(of: "clang") ?? Installed.path(of: "cc")

    /// Builds a library that gives an English word a stem of its own.
    ///
    /// - Returns: the environment in which programs load it.
    static func build(for word: String, in place: Workplace) throws -> [String: String] {
        guard let (name, file) = original, let compiler else {
            throw ChildProcess.Failure(what: "libstemmer cannot be built")
        }
        let folder = place.path + "/libraries"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let arguments = [
            "-shared", "-fPIC", "-Wl,-soname,\(name)", "-Wl,--build-id", "-DLIBRARY=\"\(file)\"", "-DWORD=\"\(word)\"",
            "-o", "\(folder)/\(name)", Binary.package + "/Tests/Fixtures/other-stemmer/other-stemmer.c", "-ldl",
        ]
        let built = try place.run(program: compiler, arguments.map { Array($0.utf8) })
        try #require(built.code == 0, "\(built)")
        let others = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":" + $0 } ?? ""
        return ["LD_LIBRARY_PATH": folder + others]
    }
}
