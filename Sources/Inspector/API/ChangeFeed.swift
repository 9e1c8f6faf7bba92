internal import DocIndex
internal import DocSync

/// The changes of the store as events (HTML Standard, section 9.2). The ID of an event is the epoch and the sequence
/// number, so that a browser continues where it was.
struct ChangeFeed: Sendable {
    /// How often something is sent while nothing changes.
    private static let heartbeat = Duration.seconds(15)
    private static let batchLimit = 500

    let reading: StoreReading
    /// The last commit that the client knows; `nil` for the newest one.
    let since: UInt64?
    /// The epoch of that number; `nil` for that of the store.
    let epoch: String?

    /// Reads where a client wants to begin: after the last event that it got, after `since`, or now.
    init(_ reading: StoreReading, _ request: SyncRequest, _ target: Target) throws {
        self.reading = reading
        let parameters = try Parameters(target, known: ["since"])
        guard let text = request.fields["Last-Event-ID"] ?? parameters["since"], text != "now" else {
            (since, epoch) = (nil, nil)
            return
        }
        guard let hyphen = text.lastIndex(of: "-") ?? (UInt64(text) == nil ? nil : text.startIndex),
            let number = UInt64(text[hyphen...].drop { $0 == "-" })
        else {
            throw Problem(.badRequest, "since must be a number, EPOCH-NUMBER or now.", parameter: "since")
        }
        since = number
        epoch = hyphen == text.startIndex ? nil : String(text[..<hyphen])
    }

    /// The response, whose body ends only with the client or the store.
    ///
    /// - Throws: ``Problem`` with `busy` if too many clients listen.
    func response() async throws -> SyncResponse {
        let seat = try reading.takeSeat()
        let state = try await reading.state()
        let stream = Stream(feed: self, seat: seat, start: Self.start(since, epoch, state))
        return SyncResponse(
            status: 200, fields: ["Content-Type": "text/event-stream", "Cache-Control": "no-store"],
            body: .stream(ByteStream(stream)))
    }

    private struct Start: Sendable {
        var position: UInt64
        /// Whether the client must read everything again.
        var isReset: Bool
    }

    private static func start(_ since: UInt64?, _ epoch: String?, _ state: ReadableStore) -> Start {
        guard let since else { return Start(position: state.sequence, isReset: false) }
        let isReset = since > state.sequence || epoch.map { $0 != state.epoch } ?? false
        return Start(position: isReset ? state.sequence : since, isReset: isReset)
    }

    private struct Stream: AsyncSequence, Sendable {
        typealias Element = [UInt8]
        let feed: ChangeFeed
        let seat: StoreReading.Seat
        let start: Start

        func makeAsyncIterator() -> Iterator { Iterator(stream: self, position: start.position) }

        struct Iterator: AsyncIteratorProtocol {
            let stream: Stream
            var position: UInt64
            var hasBegun = false

            mutating func next() async throws -> [UInt8]? {
                let reading = stream.feed.reading
                guard hasBegun else {
                    hasBegun = true
                    let epoch = try await reading.state().epoch
                    let kind = stream.start.isReset ? "reset" : "hello"
                    return ChangeFeed.event(
                        kind, id: "\(epoch)-\(position)", data: ["sequence": .int(Int64(clamping: position))])
                }
                guard try await reading.waitForCommit(after: position, within: ChangeFeed.heartbeat) else {
                    return Array(": nothing new\n\n".utf8)
                }
                let known = position
                let state = try await reading.state()
                let changes = try await reading.run { try state.changes(since: known, limit: ChangeFeed.batchLimit) }
                guard let last = changes.last?.sequence else {
                    position = Swift.max(position, state.sequence)
                    return Array(": nothing new\n\n".utf8)
                }
                position = last
                return ChangeFeed.event(
                    "change", id: "\(state.epoch)-\(last)",
                    data: ["sequence": .int(Int64(clamping: last)), "changes": .array(changes.map(ChangeFeed.json))])
            }
        }
    }

    private static func json(_ change: StoreChange) -> DocumentValue {
        [
            "sequence": .int(Int64(clamping: change.sequence)), "collection": .string(change.collection),
            "id": change.id.value, "isDeletion": .bool(change.isDeletion),
        ]
    }

    private static func event(_ kind: String, id: String, data: DocumentObject) -> [UInt8] {
        var text = Array("event: \(kind)\nid: \(id)\ndata: ".utf8)
        // One line: JSON escapes the line ends of strings.
        JSONResponse.writer.write(.object(data), to: &text)
        return text + Array("\n\n".utf8)
    }
}
