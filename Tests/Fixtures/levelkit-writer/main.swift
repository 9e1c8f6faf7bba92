// A process that writes to a database as fast as it can while tests inspect or kill it.
//
//     levelkit-writer DATABASE [KIBIBYTES-OF-WRITE-BUFFER]
//
// writes single operations until its standard input ends. Then it prints the number of operations performed.
//
//     levelkit-writer DATABASE KIBIBYTES-OF-WRITE-BUFFER batches
//
// writes synced batches, starting with the first that is not in the database, until it is killed, and prints the number
// of each batch after it is acknowledged.
//
//     levelkit-writer DATABASE KIBIBYTES-OF-WRITE-BUFFER mixed
//
// does the same, but syncs only every eighth batch, buffers the others, and prints only the numbers of synced batches.
// Another thread compacts the database meanwhile, which makes LevelDB start new logs.

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
    if syncDistance > 1 {
        let compacted = database
        Thread.detachNewThread {
            while true {
                usleep(20_000)
                try? compacted.compact()
            }
        }
    }
    while true {
        let isSynced = number % syncDistance == syncDistance - 1
        try BatchHistory.write(number, to: database, durability: isSynced ? .synced : .buffered)
        // Bypasses the buffer of `print`, which would be lost in a kill.
        if isSynced { try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8)) }
        number += 1
    }
}

// Before the thread starts reading: flushing all streams would also wait for standard input.
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
