import TestSupport
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `History file` {
    @Test func `The history file returns what was typed, in order, from several shells`() throws {
        let place = try Workplace()
        let path = place.path + "/a/b/history"
        let first = HistoryFile(path: path)
        let second = HistoryFile(path: path)
        first.append("one")
        second.append("two\nlines \\n and \\")
        first.append("three")
        #expect(HistoryFile(path: path).entries == ["one", "two\nlines \\n and \\", "three"])
        #expect(first.entries == ["one", "three"])
    }

    @Test(
        arguments: [
            (["a", "a", "b", "a"], ["a", "b", "a"]), ([" a", "", "  ", "b"], ["b"]),
            (
                ["put k " + String(repeating: "v", count: 257), "put k " + String(repeating: "v", count: 256)],
                ["put k " + String(repeating: "v", count: 256)]
            ),
            (["find 'open " + String(repeating: "v", count: 5000)], []),
        ])
    func `The history file keeps only relevant input`(typed: [String], kept: [String]) throws {
        let place = try Workplace()
        let history = HistoryFile(path: place.path + "/history")
        for text in typed { history.append(text) }
        #expect(HistoryFile(path: place.path + "/history").entries == kept)
    }

    @Test func `The history file is truncated when it has grown too long`() throws {
        let place = try Workplace()
        let path = place.path + "/history"
        let count = HistoryFile.limit * 3 / 2 + 1
        try place.write((0..<count).map { "find \($0)\n" }.joined(), to: "history")
        #expect(HistoryFile(path: path).entries.count == HistoryFile.limit)
        let lines = try place.read("history").split(separator: 0x0a)
        #expect(lines.count == HistoryFile.limit)
        #expect(HistoryFile(path: path).entries.last == "find \(count - 1)")
    }

    @Test func `A history without a path stays in memory, and writes nothing`() {
        let history = HistoryFile(path: nil)
        history.append("one")
        #expect(history.entries == ["one"])
    }

    @Test func `The history file escapes any text to one line`() {
        var random = TestRun.random(stream: 0x6869)
        for _ in 0..<1000 {
            let pieces = ["\\", "n", "\n", "\r\n", "é", "a", "\\n"]
            let text = (0..<random.number(below: 8)).map { _ in random.pick(pieces) }.joined()
            let line = HistoryFile.escaped(text)
            #expect(!line.utf8.contains(0x0a))
            #expect(HistoryFile.unescaped(line).utf8.elementsEqual(text.utf8), "\(text.debugDescription)")
        }
    }
}
