internal import DocIndex
internal import DocSync

/// Runs the command in the body of a request.
struct ConsoleRoute: Sendable {
    /// The largest size of the results in bytes.
    private static let byteLimit = 1 << 20

    let reading: StoreReading
    let request: SyncRequest
    let target: Target

    func answer() async throws -> SyncResponse {
        _ = try Parameters(target, known: [])
        let body = try await RequestBody.object(of: request)
        guard let line = body["command"]?.stringValue, body.count == 1 else {
            throw Problem(
                .badRequest,
                "The body must contain one member, command, with a string such as \"find photos rating = 5\".")
        }
        let begin = ContinuousClock.now
        let output = try await reading.run(command: line, .programs, byteLimit: Self.byteLimit)
        return JSONResponse.make([
            "results": .string(output.results), "messages": .string(output.messages),
            "exitCode": .int(Int64(output.exitCode)), "isCut": .bool(output.isCut),
            "ms": .double((ContinuousClock.now - begin).milliseconds),
        ])
    }
}
