import LevelFiles
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Output of a command that is kept in memory up to a limit, because it is shown elsewhere than in the streams of the
/// process.
final class OutputCapture: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isCut = false
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Creates an empty output.
    ///
    /// - Parameter limit: The largest number of bytes that are kept.
    init(limit: Int) { self.limit = limit }

    /// Keeps bytes.
    ///
    /// - Throws: `SystemError` as for a closed pipe if not all of them fit, so that the command ends.
    func write(_ bytes: Span<UInt8>) throws(SystemError) {
        let isCut = state.withLock { state in
            for index in bytes.indices {
                guard state.bytes.count < limit else {
                    state.isCut = true
                    break
                }
                state.bytes.append(bytes[index])
            }
            return state.isCut
        }
        if isCut { throw SystemError(number: EPIPE) }
    }

    /// The text, without a character that is incomplete at the end, and whether more was written than was kept.
    var result: (text: String, isCut: Bool) {
        state.withLock { state in
            let whole = state.bytes.dropLast(TerminalText.incompleteByteCount(state.bytes))
            return (String(decoding: whole, as: UTF8.self), state.isCut)
        }
    }
}
