import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The guarantee that other tests of waiting rely on: `within` returns even if its body does not.
@Suite struct WithinTests {
    @Test func `The value or error of a body passed to within is returned or thrown`() async throws {
        struct Refused: Error {}
        #expect(try await within(.seconds(120)) { 7 } == 7)
        await #expect(throws: Refused.self) { try await within(.seconds(120)) { throw Refused() } }
    }

    @Test func `A body that never finishes fails in time, whether it suspends or blocks its thread`() async throws {
        let isOver = Mutex(false)
        await #expect(throws: NotInTime.self) {
            try await within(.milliseconds(50)) {
                while !isOver.withLock({ $0 }) { await pause(for: .milliseconds(5)) }
            }
        }
        await #expect(throws: NotInTime.self) {
            try await within(.milliseconds(50)) { while !isOver.withLock({ $0 }) { usleep(5000) } }
        }
        isOver.withLock { $0 = true }
    }
}
