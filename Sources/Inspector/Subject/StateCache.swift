internal import Synchronization

/// Counts of the newest state of the store, so that the same page costs less the next time.
///
/// It is empty again after each commit. Counts of values are small, but may need a whole index to be read.
final class StateCache: Sendable {
    /// The question.
    struct Question: Hashable, Sendable {
        let collection: String
        /// Such as `count`, or the fields whose values are counted.
        let what: String
        /// The condition in text form.
        let condition: String
    }

    /// The largest number of answers.
    private static let limit = 64

    private struct State {
        var tag = ""
        var answers: [Question: any Sendable] = [:]
    }

    private let state = Mutex(State())

    /// Returns the answer to a question about a state, from memory or by `body`. `nil` is not kept.
    func answer<R: Sendable>(
        to question: Question, of tag: String, _ body: () async throws -> R?
    ) async throws -> R? {
        let known = state.withLock { $0.tag == tag ? $0.answers[question] as? R : nil }
        if let known { return known }
        guard let answer = try await body() else { return nil }
        state.withLock { state in
            if state.tag != tag || state.answers.count >= Self.limit { state = State(tag: tag) }
            state.answers[question] = answer
        }
        return answer
    }
}
