import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a child does at the moment, from the system's tables.
extension ChildProcess {
    /// Sends a signal, and waits until the child has handled it or has ended.
    ///
    /// The handler wakes a thread that does the work. The work is done when the signal is not pending and all threads
    /// sleep. A thread that was woken does not sleep, even if it does not run yet. A single look at the threads takes
    /// time, in which the handler can run; the second look finds the thread that it woke.
    func signalAndWait(_ number: Int32) throws {
        signal(number)
        #if canImport(Glibc)
            let start = ContinuousClock.now
            var count = 0
            while count < 2 {
                count = !isPending(number) && isAsleep ? count + 1 : 0
                guard ContinuousClock.now - start < .seconds(Self.hangLimit) else {
                    throw Failure(what: "the child does not handle signal \(number)")
                }
                usleep(1000)
            }
        #else
            usleep(500_000)
        #endif
    }

    #if canImport(Glibc)
        /// Returns whether a signal was sent to the child, but not yet delivered to one of its threads.
        private func isPending(_ number: Int32) -> Bool {
            let status = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? ""
            return status.split(separator: "\n").contains { line in
                guard line.hasPrefix("SigPnd:") || line.hasPrefix("ShdPnd:") else { return false }
                let mask = line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
                return (mask >> UInt64(number - 1)) & 1 == 1
            }
        }

        /// Whether no thread of the child runs, is about to run, or waits for a disk.
        private var isAsleep: Bool {
            let tasks = "/proc/\(processID)/task"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
            return names.allSatisfy { name in
                // The state is the first letter after the name in parentheses. Threads that have ended have none.
                let text = (try? String(contentsOfFile: "\(tasks)/\(name)/stat", encoding: .utf8)) ?? ""
                guard let end = text.lastIndex(of: ")") else { return true }
                let state = text[end...].dropFirst(2).first
                return state != "R" && state != "D"
            }
        }
    #endif
}
