// A process that fills a store, changes its schema and migrates it until it is killed.
//
//     docindex-loader STORE MIGRATIONS
//
// continues the commits of `LoaderHistory` with the first one that the store does not contain, while another thread
// applies one schema after another and runs migrations, of which MIGRATIONS have been started before.
//
//     docindex-loader STORE short
//
// runs a short history on one thread, and exits. Failed calls are printed, and the remaining ones still run.
//
//     docindex-loader STORE texts
//
// continues the commits on one thread, and does nothing else.
//
//     docindex-loader STORE bulk
//
// continues the changes of `BulkHistory`, and prints `ready` before the first one.
//
//     docindex-loader STORE attachments
//
// continues the steps of `AttachmentHistory`. With a number as third argument, it ends after that step, and failed calls
// are printed.
//
//     docindex-loader STORE rebuild
//
// rebuilds what can be computed from the documents and the files of attachments, and prints `1`.
//
//     docindex-loader STORE memory COUNT BYTES
//
// updates COUNT documents in commits of BYTES, and prints by how many KiB that raised the peak of the memory.
//
//     docindex-loader STORE readers SECONDS
//
// reads constantly while two threads write, and prints by how many KiB the peak of the memory grew after a warm-up.
//
//     docindex-loader STORE large text|array BYTES
//
// stores a document of BYTES in a text index, and prints by how many KiB that raised the peak of the memory.
//
// Prints the number of each acknowledged commit, and `migration` and the number of each migration before it starts.

import DocIndex
import Foundation
import LevelKit
import TestSupport

/// Bypasses the buffer of `print`, which would be lost in a kill.
func report(_ line: String) {
    do { try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) } catch { exit(4) }
}

/// Runs `body`, and prints errors of a known type. Any other error ends the process.
///
/// - Returns: Whether `body` succeeded.
@discardableResult
func attempt(_ body: () throws -> Void) -> Bool {
    do {
        try body()
        return true
    } catch let error as LevelError {
        report("failed \(error.code)")
    } catch let error as DocIndexError {
        report("failed \(error.code)")
    } catch {
        report("unknown failure: \(error)")
        exit(3)
    }
    return false
}

let options: DocumentStore.Options = {
    var options = DocumentStore.Options(finishesSchemaChange: false)
    // Small, so that tables and compactions turn over.
    options.database.writeBufferByteCount = 128 << 10
    // Small, so that text index segments are constantly written and merged.
    options.textMaintenance.pendingDocumentCount = 40
    options.textMaintenance.loadDocumentCount = 200
    options.textMaintenance.loadWordCount = 500
    options.textMaintenance.flushSliceByteCount = 100
    options.textMaintenance.mergeSliceByteCount = 2000
    options.textMaintenance.mergeFactor = 3
    options.textMaintenance.smallLevelDocumentCount = 50
    return options
}()
let path = CommandLine.arguments[1]

/// Returns the number in an argument; 0 if it is missing.
func argument(_ position: Int) -> Int {
    CommandLine.arguments.count > position ? Int(CommandLine.arguments[position]) ?? 0 : 0
}

if CommandLine.arguments[2] == "rebuild" {
    let isDone = attempt {
        let store = try DocumentStore.open(at: path)
        _ = try store.rebuild()
        try store.close()
        report("1")
    }
    exit(isDone ? 0 : 1)
}

if CommandLine.arguments[2] == "short" {
    attempt {
        var store = try DocumentStore.open(at: path, schema: LoaderHistory.schema(0), options: options)
        var failureCount = 0
        for number in 1...45 {
            // A store that accepts no more writes is reopened, as its error recommends.
            if failureCount > 1 {
                try store.close()
                store = try DocumentStore.open(at: path, options: options)
                failureCount = 0
            }
            let isDone = attempt {
                // A commit depends on the previous one, so a failed commit is retried unless it was stored.
                let next = try LoaderHistory.State(of: store).commitCount + 1
                try LoaderHistory.perform(next, on: store, durability: number % 8 == 0 ? .synced : .buffered)
                report("\(next)")
            }
            failureCount = isDone ? 0 : failureCount + 1
            switch number {
            case 15: attempt { _ = try store.apply(LoaderHistory.schema(1)) }
            case 25:
                report("migration 1")
                attempt { _ = try store.migrate(LoaderHistory.migrations(1)) }
            case 35: attempt { _ = try store.apply(LoaderHistory.schema(2)) }
            default: break
            }
        }
        try store.close()
    }
    exit(0)
}

if CommandLine.arguments[2] == "texts" {
    let store = try DocumentStore.open(at: path, schema: LoaderHistory.schema(2), options: options)
    let first = try LoaderHistory.State(of: store).commitCount + 1
    for number in first... {
        try LoaderHistory.perform(number, on: store)
        report("\(number)")
    }
}

if CommandLine.arguments[2] == "bulk" {
    let store = try DocumentStore.open(at: path, schema: BulkHistory.schema, options: options)
    try BulkHistory.begin(in: store)
    let generations = try BulkHistory.generations(in: store)
    report("ready")
    // The lowest generation shows whether the last change was finished.
    let first = (generations.min() ?? 0) + 1
    for number in first... {
        try BulkHistory.perform(number, on: store)
        report("\(number)")
    }
}

if CommandLine.arguments[2] == "attachments" {
    if CommandLine.arguments.count == 3 {
        let store = try DocumentStore.open(at: path, schema: AttachmentHistory.schema, options: options)
        let first = try AttachmentHistory.stepCount(in: store) + 1
        for number in first... {
            try AttachmentHistory.perform(number, on: store)
            report("\(number)")
        }
    }
    attempt {
        var store = try DocumentStore.open(at: path, schema: AttachmentHistory.schema, options: options)
        var failureCount = 0
        for _ in 0..<(Int(CommandLine.arguments[3]) ?? 0) {
            if failureCount > 1 {
                try store.close()
                store = try DocumentStore.open(at: path, options: options)
                failureCount = 0
            }
            let isDone = attempt {
                let next = try AttachmentHistory.stepCount(in: store) + 1
                try AttachmentHistory.perform(next, on: store)
                report("\(next)")
            }
            failureCount = isDone ? 0 : failureCount + 1
        }
        try store.close()
    }
    exit(0)
}

switch CommandLine.arguments[2] {
case "memory":
    let isDone = try Memory.changeMany(argument(3), commitByteCount: argument(4), at: path)
    exit(isDone ? 0 : 5)
case "readers":
    try Memory.readConstantly(seconds: argument(3), at: path)
    exit(0)
case "large":
    let isDone = try Memory.storeLarge(CommandLine.arguments[3], byteCount: argument(4), at: path)
    exit(isDone ? 0 : 5)
default: break
}

/// Opens the store, or creates it if it does not exist or if the process that created it was killed immediately.
func openOrMake() throws -> DocumentStore {
    do {
        return try DocumentStore.open(at: path, options: options)
    } catch let error as DocIndexError where error.code == .notADocumentStore {
    } catch let error as LevelError where error.code == .databaseNotFound {
    }
    return try DocumentStore.open(at: path, schema: LoaderHistory.schema(0), options: options)
}

let store = try openOrMake()
let first = try LoaderHistory.State(of: store).commitCount + 1
let begun = Int(CommandLine.arguments[2]) ?? 0

Thread.detachNewThread {
    do {
        for number in first... {
            try LoaderHistory.perform(number, on: store, durability: number % 16 == 0 ? .synced : .buffered)
            report("\(number)")
        }
    } catch {
        report("unknown failure: \(error)")
        exit(3)
    }
}

try store.finishSchemaChange()
for number in begun... {
    report("migration \(number)")
    try store.migrate(LoaderHistory.migrations(number))
    try store.apply(LoaderHistory.schema(store.schema.version))
    usleep(20_000)
}
