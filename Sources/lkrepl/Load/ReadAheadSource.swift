import Dispatch
import Synchronization

/// The records of another source, read ahead on a separate thread while earlier ones are stored.
///
/// Order, positions and faults are preserved. Reading pauses when a few pieces of several hundred records each are
/// waiting, so memory does not depend on the size of the input.
final class ReadAheadSource: RecordSource, @unchecked Sendable {
    // Unchecked: the source belongs to the reading thread until that ends, everything else to the caller's thread;
    // pieces are passed between them through the queue.

    /// The result of one call of the source, with its position.
    fileprivate struct Step {
        var result: Result<InputEvent?, any Error>
        var byteCount: Int
        var place: RecordPlace
    }

    /// Steps that are passed to the caller together.
    private struct Piece {
        var steps: [Step] = []
        var header: [UInt8] = []
        var warning: String?
    }

    private struct Queue {
        var pieces: [Piece] = []
        var isAbandoned = false
    }

    /// The maximum number of steps in a piece, and the bytes of input after which a piece ends early.
    private static let pieceCount = 256
    private static let pieceByteCount = 1 << 20
    /// The maximum number of waiting pieces.
    private static let queueLimit = 4

    let name: String
    private let source: any RecordSource
    private let queue = Mutex(Queue())
    /// Created with 0: Dispatch aborts if a semaphore is released with a value below its initial one.
    private let free = DispatchSemaphore(value: 0)
    private let filled = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    private var piece = Piece()
    private var position = 0
    private var isAtEnd = false
    private(set) var byteCount = 0
    private(set) var place = RecordPlace()

    /// Starts reading.
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

    /// Ends reading. Must be called for every started source.
    ///
    /// - Parameter waits: Whether to wait until the thread has finished with the file. This may block for input such as
    ///   a pipe without a writer.
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
            // Nothing can be read after the end of the input or an unrecoverable fault.
            if step.isLast { break }
        }
        piece.header = source.header
        piece.warning = source.warning
        return piece
    }
}

extension ReadAheadSource.Step {
    /// Whether no step can follow.
    fileprivate var isLast: Bool {
        switch result {
        case .success(let event): event == nil
        case .failure(let error): (error as? RecordError)?.isRecoverable != true
        }
    }
}
