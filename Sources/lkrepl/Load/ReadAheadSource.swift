import Dispatch
import Synchronization

/// The records of another source, read on a thread of their own while those before them are stored.
///
/// They come in the same order, with their places and faults. Reading goes on until a few pieces of some hundred records
/// wait, so memory does not depend on the input.
final class ReadAheadSource: RecordSource, @unchecked Sendable {
    // Unchecked: the source belongs to the reading thread until that has ended, everything else to the caller's; pieces
    // go from one to the other through the queue.

    /// One call of the source, and where it left it.
    fileprivate struct Step {
        var result: Result<InputEvent?, any Error>
        var byteCount: Int
        var place: RecordPlace
    }

    /// Steps that are handed over together.
    private struct Piece {
        var steps: [Step] = []
        var header: [UInt8] = []
        var warning: String?
    }

    private struct Queue {
        var pieces: [Piece] = []
        var isAbandoned = false
    }

    /// Steps of a piece, and bytes of input from which on it has enough with fewer.
    private static let pieceCount = 256
    private static let pieceByteCount = 1 << 20
    /// Pieces that may wait.
    private static let queueLimit = 4

    let name: String
    private let source: any RecordSource
    private let queue = Mutex(Queue())
    /// Begins at 0: one that is let go with less than it began with ends the process.
    private let free = DispatchSemaphore(value: 0)
    private let filled = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    private var piece = Piece()
    private var position = 0
    private var isAtEnd = false
    private(set) var byteCount = 0
    private(set) var place = RecordPlace()

    /// Begins to read.
    init(_ source: any RecordSource) {
        self.source = source
        name = source.name
        for _ in 0..<Self.queueLimit { free.signal() }
        DispatchQueue.global(qos: .userInitiated).async { self.read() }
    }

    var header: [UInt8] { piece.header }
    var warning: String? { piece.warning }

    func next() throws -> InputEvent? {
        if isAtEnd { return nil }
        if position == piece.steps.count {
            filled.wait()
            piece = queue.withLock { $0.pieces.removeFirst() }
            position = 0
            free.signal()
        }
        let step = piece.steps[position]
        position += 1
        byteCount = step.byteCount
        place = step.place
        isAtEnd = step.isLast
        return try step.result.get()
    }

    /// Ends the reading. Every source that was begun must be ended.
    ///
    /// - Parameter waits: whether to wait until the thread has left the file alone, which a file of unknown length, such
    ///   as a pipe to which nobody writes, may not let it do.
    func end(waits: Bool) {
        queue.withLock { $0.isAbandoned = true }
        free.signal()
        if waits { ended.wait() }
    }

    // MARK: - The reading thread

    private func read() {
        defer { ended.signal() }
        var isDone = false
        while !isDone {
            let piece = readPiece()
            isDone = piece.steps.last?.isLast ?? true
            free.wait()
            let goesOn = queue.withLock { queue in
                if !queue.isAbandoned { queue.pieces.append(piece) }
                return !queue.isAbandoned
            }
            guard goesOn else { return }
            filled.signal()
        }
    }

    private func readPiece() -> Piece {
        var piece = Piece()
        let start = source.byteCount
        while piece.steps.count < Self.pieceCount, source.byteCount - start < Self.pieceByteCount {
            let result = Result { try source.next() }
            let step = Step(result: result, byteCount: source.byteCount, place: source.place)
            piece.steps.append(step)
            // Whoever waits at a pipe wants to see what came so far; and behind a fault, whether to go on is not decided.
            if step.isLast { break }
        }
        piece.header = source.header
        piece.warning = source.warning
        return piece
    }
}

extension ReadAheadSource.Step {
    /// Whether nothing can come behind it.
    fileprivate var isLast: Bool {
        switch result {
        case .success(let event): event == nil
        case .failure(let error): (error as? RecordFault)?.isRecoverable != true
        }
    }
}
