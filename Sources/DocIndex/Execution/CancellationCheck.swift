/// Looks, every so many steps, whether the task that does the work was cancelled.
///
/// Loops whose length follows from the store call ``step()`` once for each document or entry that they look at.
struct CancellationCheck {
    private var stepCount: UInt8 = 0

    /// Counts a step; every 256th looks.
    ///
    /// - Throws: `CancellationError`.
    @inline(__always) mutating func step() throws {
        stepCount &+= 1
        if stepCount == 0 { try Self.now() }
    }

    /// Looks at once: for steps that each read much.
    ///
    /// - Throws: `CancellationError`.
    static func now() throws {
        if Task.isCancelled { throw CancellationError() }
    }
}
