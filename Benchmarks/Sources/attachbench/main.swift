// Attachments beside plain files and beside BLOBs of SQLite: adding, reading, checkpoints, opening, importing pictures.
//
// usage: attachbench [--smoke] [--only contents|checkpoint|open] [--rounds N] [--first-round N] [--import LKREPL
// [--pictures N]] [--json FILE]
//        attachbench copy FROM TO
//
// --smoke: few attachments, one round. --import: only imports pictures of 2 MB with exiftool, beside copying them. The
// last form copies the files of a directory one by one, each with the syncs that an import makes.

import Foundation
import GRDB
import Harness

func run(_ arguments: [String]) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("attachbench-\(getpid())").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var suite = AttachmentSuite(directory: directory)
    if arguments.contains("--smoke") {
        suite.rounds = 1
        suite.sizes = [64 << 10, 1 << 20]
        suite.roundByteCount = 2 << 20
        suite.fileCount = 20
        suite.smallCount = 200
        suite.pictureCount = 3
    }
    if let rounds = value(of: "--rounds", in: arguments).flatMap({ Int($0) }) { suite.rounds = max(1, rounds) }
    if let count = value(of: "--pictures", in: arguments).flatMap({ Int($0) }) { suite.pictureCount = max(1, count) }
    say(Line.header(ours: "DocIndex", peer: "peer"))
    if let lkrepl = value(of: "--import", in: arguments) {
        try suite.pictures(lkrepl)
    } else {
        let only = value(of: "--only", in: arguments)
        if only == nil || only == "contents" { try suite.contents() }
        if only == nil || only == "checkpoint" { try suite.checkpoints() }
        if only == nil || only == "open" { try suite.openings() }
    }
    let version = try DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? "?"
    try Measured.write(suite.lines, of: "attachbench", versions: ["SQLite \(version)"], arguments)
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "copy", arguments.count == 3 {
        let files = try PlainFiles(directory: arguments[2])
        for name in try FileManager.default.contentsOfDirectory(atPath: arguments[1]).sorted() {
            try files.copy("\(arguments[1])/\(name)", name: name)
        }
    } else {
        try run(arguments)
    }
} catch {
    FileHandle.standardError.write(Data("attachbench: \(error)\n".utf8))
    exit(1)
}
