// A process that writes into a database as fast as it can, while tests look into it or end it.
//
//     levelkit-writer DATABASE [KIBIBYTES-OF-WRITE-BUFFER]
//
// writes single operations until its standard input ends. Then it prints how many it has performed.
//
//     levelkit-writer DATABASE KIBIBYTES-OF-WRITE-BUFFER batches
//
// writes synced batches, from the first that is not in the database yet, until it is killed, and prints the number of
// each once it was acknowledged.
//
//     levelkit-writer DATABASE KIBIBYTES-OF-WRITE-BUFFER mixed
//
// does the same with batches of which every eighth is synced and the others are buffered, and prints the numbers of the synced.

import Foundation
import LevelKit
import Synchronization
import TestSupport

let arguments = CommandLine.arguments
let writesBatches = arguments.count > 3
let syncDistance = writesBatches && arguments[3] == "mixed" ? 8 : 1
var options = DatabaseOptions()
options.errorIfExists = !writesBatches
options.writeBufferByteCount = (arguments.count > 2 ? Int(arguments[2]) ?? 64 : 64) << 10
let database: Database
do {
    database = try Database.open(at: arguments[1], options: options)
} catch {
    print(error)
    exit(EXIT_FAILURE)
}

if writesBatches {
    guard var number = try BatchHistory.count(in: database) else {
        print("the database does not hold whole batches")
        exit(EXIT_FAILURE)
    }
    while true {
        let isSynced = number % syncDistance == syncDistance - 1
        try BatchHistory.write(number, to: database, durability: isSynced ? .synced : .buffered)
        // Past the buffer of `print`, which a kill would lose.
        if isSynced { try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8)) }
        number += 1
    }
}

// Before the thread reads: flushing everything would wait for the standard input as well.
print("open")
fflush(nil)

let isStopped = Atomic(false)
Thread.detachNewThread {
    while readLine() != nil {}
    isStopped.store(true, ordering: .relaxed)
}

var count: UInt64 = 0
while !isStopped.load(ordering: .relaxed) {
    try WriterHistory.perform(count, on: database)
    count += 1
}
try database.close()
print(count)
