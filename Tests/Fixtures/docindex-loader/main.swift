// A process that fills a store, changes its schema and migrates it, until it is killed.
//
//     docindex-loader STORE MIGRATIONS
//
// goes on with the commits of `LoaderHistory` from the first that the store does not hold, while another thread applies
// one schema after the other and carries out migrations, of which MIGRATIONS were begun before.
//
//     docindex-loader STORE short
//
// makes a short history by one thread, and ends. A call that fails is printed; everything is tried to the end.
//
//     docindex-loader STORE texts
//
// goes on with the commits by one thread, and does nothing else.
//
// Each acknowledged commit is printed as its number, each migration as `migration` and its number before it begins.

import DocIndex
import Foundation
import LevelKit
import TestSupport

/// Past the buffer of `print`, which a kill would lose.
func report(_ line: String) {
    do { try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) } catch { exit(4) }
}

/// Runs `body`, and prints a failure of a known type. Any other ends the process.
///
/// - Returns: whether it went well.
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
    // Tables and compactions come and go.
    options.database.writeBufferByteCount = 128 << 10
    // Segments of text indexes are written and merged all the time.
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

if CommandLine.arguments[2] == "short" {
    attempt {
        var store = try DocumentStore.open(at: path, schema: LoaderHistory.schema(0), options: options)
        var failureCount = 0
        for number in 1...45 {
            // A store that takes no more writes is opened anew, as its error says.
            if failureCount > 1 {
                try store.close()
                store = try DocumentStore.open(at: path, options: options)
                failureCount = 0
            }
            let isDone = attempt {
                // A commit says which it follows, so one that failed is tried again, unless it is there.
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

/// Opens the store as it is; makes it where there is none, or where the process that made it was killed at once.
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
