import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a child does at the moment, from the system's tables.
extension ChildProcess {
    /// Measures the child while `body` runs.
    ///
    /// The processor time does not grow while other tests or programs have the processor. The time by the clock counts
    /// less, for a child that waits too long.
    ///
    /// - Returns: The processor time of the child, or the time by the clock divided by `share` if that is longer. Where
    ///   the processor time is unknown, the time by the clock.
    func measure(share: Int, _ body: () throws -> Void) rethrows -> Duration {
        let start = ContinuousClock.now
        #if canImport(Glibc)
            let begin = processorTime
            try body()
            return max(processorTime - begin, (ContinuousClock.now - start) / share)
        #else
            try body()
            return ContinuousClock.now - start
        #endif
    }

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
        private var processorTime: Duration {
            var clock = clockid_t()
            var time = timespec()
            guard unsafe clock_getcpuclockid(processID, &clock) == 0, unsafe clock_gettime(clock, &time) == 0 else {
                return .zero
            }
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }

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
