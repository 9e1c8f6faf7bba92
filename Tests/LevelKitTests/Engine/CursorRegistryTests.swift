import Foundation
import Testing

@testable import LevelKit

@Suite struct CursorRegistryTests {
    private let here = ThreadIdentity.current

    /// Returns a cursor that is on an entry.
    private func moving() -> LiveCursor {
        let cursor = LiveCursor(nil)
        _ = cursor.wake()
        return cursor
    }

    @Test func `A database without cursors is released once`() {
        var registry = CursorRegistry()
        registry.didDrain()
        holds(registry.beginRelease())
        holds(!registry.beginRelease())
    }

    @Test func `The last cursor of a drained database releases it, and no other`() {
        var registry = CursorRegistry()
        let first = registry.insert(moving())
        let second = registry.insert(moving())
        let third = registry.insert(moving())
        holds(Set([first, second, third]).count == 3)
        holds(!registry.remove(second))
        registry.didDrain()
        holds(!registry.beginRelease())
        holds(!registry.remove(first))
        holds(registry.remove(third))
        holds(registry.beginRelease())
    }

    @Test func `The last cursor of an open database does not release it`() {
        var registry = CursorRegistry()
        let id = registry.insert(moving())
        holds(!registry.remove(id))
        holds(registry.count == 0)
    }

    @Test func `Cursors at rest are ended, and cursors on an entry stay until they rest`() {
        var registry = CursorRegistry()
        let onEntry = moving()
        let resting = LiveCursor(nil)
        _ = registry.insert(onEntry)
        _ = registry.insert(resting)
        holds(!registry.endResting(except: here))
        holds(registry.count == 1)
        holds(!resting.wake())
        onEntry.rest()
        holds(!registry.endResting(except: here))
        holds(registry.count == 0)
    }

    @Test func `Only cursors of other threads are worth waiting for`() async {
        var registry = CursorRegistry()
        let cursor = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let cursor = LiveCursor(nil)
                _ = cursor.wake()
                continuation.resume(returning: cursor)
            }
        }
        _ = registry.insert(cursor)
        holds(!registry.endResting(except: cursor.thread))
        holds(registry.count == 1)
        cursor.rest()
        holds(!registry.endResting(except: ThreadIdentity.current))
        holds(registry.count == 0)
    }
}

/// Like `#expect`, which cannot call methods of noncopyable values or mutating methods.
private func holds(_ condition: Bool, _ sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}
