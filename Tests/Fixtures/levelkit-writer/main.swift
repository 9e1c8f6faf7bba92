// A process that has a database open and writes into it as fast as it can, until its standard input ends. Then it
// prints how many operations it has performed. Tests look into its database meanwhile.
//
//     levelkit-writer DATABASE [KIBIBYTES-OF-WRITE-BUFFER]

import Foundation
import LevelKit
import Synchronization
import TestSupport

let arguments = CommandLine.arguments
var options = DatabaseOptions()
options.errorIfExists = true
options.writeBufferByteCount = (arguments.count > 2 ? Int(arguments[2]) ?? 64 : 64) << 10
let database: Database
do {
    database = try Database.open(at: arguments[1], options: options)
} catch {
    print(error)
    exit(EXIT_FAILURE)
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
