/// Checks at intervals whether the current task has been canceled.
///
/// Loops whose length depends on the store call ``step()`` once for each document or entry.
package struct CancellationCheck {
    private var stepCount: UInt8 = 0

    package init() {}

    /// Counts a step. Every 256th step checks for cancellation. A call from another module, a few instructions.
    ///
    /// - Throws: `CancellationError`.
    package mutating func step() throws {
        stepCount &+= 1
        if stepCount == 0 { try Self.now() }
    }

    /// Checks immediately, for steps that read a lot.
    ///
    /// - Throws: `CancellationError`.
    package static func now() throws {
        if Task.isCancelled { throw CancellationError() }
    }
}
