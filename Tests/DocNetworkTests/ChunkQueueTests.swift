#if Network
    import DocSync
    import NIOCore
    import Synchronization
    import TestSupport
    import Testing

    @testable import DocNetwork

    @Suite struct ChunkQueueTests {
        /// The chunks that the queue has taken, or has room for.
        private final class Taken: Sendable {
            private let numbers = Mutex<[Int]>([])

            var all: [Int] { numbers.withLock { $0 } }

            func add(_ number: Int) { numbers.withLock { $0.append(number) } }
        }

        @Test func `Chunks wait for the reader, and the sender goes on only while there is room`() async throws {
            try await within {
                let queue = ChunkQueue(room: 10)
                let taken = Taken()
                for number in 0..<4 {
                    queue.offer(ByteBuffer(repeating: UInt8(number), count: 4)) { taken.add(number) }
                }
                #expect(taken.all == [0, 1])
                let first = try await queue.next()
                #expect(first?.count == 16)
                #expect(taken.all == [0, 1, 2, 3])
                queue.offer(ByteBuffer(repeating: 4, count: 9)) { taken.add(4) }
                queue.offer(ByteBuffer(repeating: 5, count: 1)) { taken.add(5) }
                #expect(taken.all == [0, 1, 2, 3, 4])
                queue.finish()
                let second = try await queue.next()
                #expect(second?.count == 10)
                #expect(taken.all == [0, 1, 2, 3, 4, 5])
                let end = try await queue.next()
                #expect(end == nil)
            }
        }

        @Test func `Without room, each chunk waits until it is read`() async throws {
            try await within {
                let queue = ChunkQueue()
                let taken = Taken()
                queue.offer(ByteBuffer(repeating: 1, count: 1)) { taken.add(1) }
                #expect(taken.all.isEmpty)
                let chunk = try await queue.next()
                #expect(chunk == [1])
                #expect(taken.all == [1])
            }
        }

        @Test func `After the connection breaks, the reader gets what has arrived, then the error`() async throws {
            try await within {
                let queue = ChunkQueue(room: 100)
                for number in 0..<3 { queue.offer(ByteBuffer(repeating: UInt8(number), count: 2)) {} }
                queue.finish(.failure(TransportError(.cut, peer: "the peer")))
                let arrived = try await queue.next()
                #expect(arrived == [0, 0, 1, 1, 2, 2])
                await expectTransportError(.cut) { _ = try await queue.next() }
            }
        }

        @Test func `An abandoned queue drops its chunks, and each sender goes on once`() async throws {
            try await within {
                let queue = ChunkQueue(room: 3)
                let taken = Taken()
                for number in 0..<3 {
                    queue.offer(ByteBuffer(repeating: 1, count: 2)) { taken.add(number) }
                }
                #expect(taken.all == [0])
                queue.abandon(TransportError(.cancelled, peer: "the peer"))
                #expect(taken.all == [0, 1, 2])
                await expectTransportError(.cancelled) { _ = try await queue.next() }
            }
        }
    }
#endif
