import Foundation
import Testing

@testable import lkrepl

/// The pager of single commands, in a real pseudo-terminal of 40 rows.
@Suite(.waitsForPrograms) struct PagerTests {
    private func shown(
        _ arguments: [String], _ environment: [String: String] = [:], rows: UInt16 = 40, in place: Workplace
    ) throws -> (text: String, code: Int32) {
        let terminal = try TerminalSession(
            arguments, in: place,
            environment: ["TERM": "xterm", "NO_COLOR": "1", "LKREPL_PAGER": "sed 's/^/paged: /'"].merging(environment) {
                $1
            }, rows: rows)
        let code = try terminal.end()
        return (terminal.transcript, code)
    }

    private static let long = ["find", "photos.store", "photos", "--fields", "id", "--all"]

    @Test func `The pager shows only output longer than the screen`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let paged = try shown(Self.long, in: place)
            #expect(paged.code == 0)
            let lines = paged.text.split(separator: "\r\n")
            #expect(lines.count == 306 && lines.allSatisfy { $0.hasPrefix("paged: ") }, "\(lines.count)")
            for arguments in [Self.long + ["--no-pager"], ["--no-pager"] + Self.long, Self.long + ["--limit", "3"]] {
                let plain = try shown(arguments, in: place)
                #expect(plain.code == 0 && !plain.text.contains("paged"), "\(arguments): \(plain)")
            }
            for environment in [["LKREPL_PAGER": "cat"], ["TERM": "dumb"]] {
                let plain = try shown(Self.long, environment, in: place)
                #expect(plain.code == 0 && !plain.text.contains("paged"), "\(environment)")
            }
            // A window in which no pager could show anything.
            let tiny = try shown(Self.long, rows: 2, in: place)
            #expect(tiny.code == 0 && !tiny.text.contains("paged"), "\(tiny.text.prefix(300))")
            #expect(try place.run(Self.long).lines.count == 301)
            let help = try shown(["find", "--help"], in: place)
            #expect(help.code == 0 && help.text.contains("paged: "), "\(help)")
        }
    }

    @Test func `The pager cuts the lines of tables and wraps those of documents`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            // Takes the place of less, and shows its options.
            try place.writeProgram("#!/bin/sh\necho options: \"$@\"\ncat\n", to: "less")
            let path = ["PATH": place.path + ":/usr/bin:/bin", "LKREPL_PAGER": ""]
            let table = try shown(Self.long, path, in: place)
            #expect(table.text.contains("options: -FIRXS\r\n"), "\(table.text.prefix(300))")
            let document = try shown(
                ["doc", "get", "photos.store", "photos", "2004-06-19-0008"], path, rows: 10, in: place)
            #expect(document.text.contains("options: -FIRX\r\n"), "\(document.text.prefix(300))")
        }
    }

    @Test func `Closing the pager early ends the command without an error`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let closed = try shown(
                ["scan", "photos.store", "--mode", "jsonl"], ["LKREPL_PAGER": "sed -n '1p;2q'"], in: place)
            #expect(closed.code == 0 && closed.text.split(separator: "\r\n").count == 1, "\(closed)")
            let missing = try shown(Self.long, ["LKREPL_PAGER": "no-such-pager"], in: place)
            #expect(missing.text.contains("no-such-pager"), "\(missing)")
        }
    }

    @Test func `Messages wait until the pager exits`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let paged = try shown(["tree", "photos.store", "--depth", "4", "--mode", "jsonl"], in: place)
            #expect(paged.code == 0)
            #expect(paged.text.hasSuffix("tree: levels are those of a document store\r\n"), "\(paged.text.suffix(300))")
        }
    }

    @Test func `Questions are asked after the pager exits`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.write("{\"version\": 2, \"collections\": {\"photos\": {}}}", to: "none.json")
            let terminal = try TerminalSession(
                ["migrate", "--write", "photos.store", "none.json"], in: place, environment: ["TERM": "xterm"])
            let before = try terminal.expect("[y/N]")
            #expect(before.contains("its entries are deleted"), "\(before)")
            try terminal.type("n\n")
            #expect(try terminal.end() == 1)
        }
    }
}
