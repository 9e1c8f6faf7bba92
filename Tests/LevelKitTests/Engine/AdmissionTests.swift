import Foundation
import Testing

@testable import LevelKit

@Suite struct AdmissionTests {
    @Test func `Calls are admitted until admission stops, and none afterwards`() {
        let admission = Admission()
        holds(admission.enter())
        holds(!admission.isStopped)
        holds(admission.stop())
        holds(admission.isStopped)
        holds(!admission.enter())
        admission.leave()
        holds(!admission.enter())
    }

    @Test func `Only the first call stops admission`() {
        let admission = Admission()
        holds(admission.stop())
        holds(!admission.stop())
    }

    @Test func `Admission is drained once it has stopped and every admitted call has ended`() {
        let admission = Admission()
        holds(!admission.isDrained)
        holds(admission.enter() && admission.enter())
        _ = admission.stop()
        holds(!admission.isDrained)
        admission.leave()
        holds(!admission.isDrained)
        // A refused call leaves no trace.
        holds(!admission.enter())
        admission.leave()
        holds(admission.isDrained)
        admission.drain()
    }
}

/// Like `#expect`, which cannot call methods of noncopyable values or mutating methods.
private func holds(_ condition: Bool, _ sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}
