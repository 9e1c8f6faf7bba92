/// Runs pieces of work concurrently, and finishes them in order.
///
/// - Parameters:
///   - width: the maximum number of pieces that run or wait for an earlier one.
///   - next: returns the next piece; `nil` after the last one.
///   - run: does a piece of work.
///   - finish: receives the result of a piece, after all earlier pieces have been finished.
/// - Throws: what one of the functions throws. The running pieces are then canceled.
func inOrder<Work: Sendable, Output: Sendable>(
    width: Int, next: () async throws -> Work?, run: @escaping @Sendable (Work) async throws -> Output,
    finish: (Output) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: (index: Int, output: Output).self) { group in
        var outputs: [Int: Output] = [:]
        var (started, finished) = (0, 0)
        var hasMore = true
        while true {
            while hasMore, started - finished < width {
                guard let work = try await next() else {
                    hasMore = false
                    break
                }
                let index = started
                group.addTask { (index, try await run(work)) }
                started += 1
            }
            guard finished < started else { return }
            while outputs[finished] == nil, let done = try await group.next() { outputs[done.index] = done.output }
            guard let output = outputs.removeValue(forKey: finished) else { return }
            try await finish(output)
            finished += 1
        }
    }
}
