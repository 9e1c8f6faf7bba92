internal import Dispatch
internal import LevelFiles
internal import Synchronization

/// The check of one table in a ``StoreInspection``.
final class TableCheck: Sendable {
    /// What is known about the table.
    enum Outcome: Sendable {
        /// The table was opened; its blocks were not read yet.
        case footer(Table)
        case safe
        /// The table could not be read, or was not.
        case unchecked
        case fault(FileError)
    }

    let table: Manifest.Table
    private let state: Mutex<Outcome>

    init(_ table: Manifest.Table, _ outcome: Outcome) {
        self.table = table
        state = Mutex(outcome)
    }

    var outcome: Outcome { state.withLock { $0 } }

    /// Reads the blocks of a table that was opened.
    func finish(_ depth: Table.SafetyDepth, isBytewise: Bool, upTo lastSequence: UInt64) {
        guard case .footer(let reader) = outcome else { return }
        let outcome: Outcome
        do throws(FileError) {
            let hazard = try reader.hazard(
                depth, isBytewise: isBytewise, upTo: lastSequence, within: (table.bounds.first, table.bounds.last))
            outcome = hazard.map(Outcome.fault) ?? .safe
        } catch {
            outcome = error.kind == .foreign ? .fault(error) : .unchecked
        }
        state.withLock { $0 = outcome }
    }
}

/// Threads that check tables at the same time: most of opening a database is decompressing blocks.
enum TableCheckThreads {
    private static let threadLimit = 4

    /// Calls `body` with each check, several at the same time, and waits for all calls.
    static func run(_ checks: [TableCheck], _ body: @Sendable (TableCheck) -> Void) {
        // In a forked process, the threads of the parent are missing.
        guard checks.count > 1, ForkGeneration.current == 0 else { return checks.forEach(body) }
        let next = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: min(threadLimit, checks.count)) { _ in
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                guard index < checks.count else { return }
                body(checks[index])
            }
        }
    }
}
