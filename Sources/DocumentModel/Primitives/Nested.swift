/// The conditions inside another condition, or the queries inside another query, with their nesting depth.
///
/// The depth is limited while a program builds a condition, so that code that visits, copies or releases it never
/// exhausts the stack of a thread, which can be 512 KiB. Parts beyond the limit are replaced by a single part that
/// stands for them. Such a condition is rejected wherever it is used.
public struct Nested<Content: Sendable>: Sendable {
    /// The nested condition, or the list of nested conditions.
    public let content: Content
    /// The number of levels, including the condition around the content: 2 if the content has no nested conditions.
    package let depth: Int

    private init(_ content: Content, depth: Int) {
        self.content = content
        self.depth = depth
    }
}

extension Nested: Equatable where Content: Equatable {}
extension Nested: Hashable where Content: Hashable {}

/// A type whose values contain further values of the type.
package protocol Nesting: Sendable {
    /// The number of levels: 1 for a value without nested values.
    var depth: Int { get }
    /// The value that stands for omitted parts.
    static var omitted: Self { get }
}

/// The maximum depth that is kept. Twice the limit on conditions of a query, because the planner may nest a condition
/// within others.
private let depthLimit = 256

extension Nested where Content: Nesting {
    package init(_ part: Content) {
        let depth = min(part.depth, depthLimit) + 1
        self.init(depth > depthLimit ? .omitted : part, depth: depth)
    }
}

extension Nested {
    package init<Part: Nesting>(_ parts: [Part]) where Content == [Part] {
        let depth = min(parts.reduce(0) { max($0, $1.depth) }, depthLimit) + 1
        self.init(depth > depthLimit ? [.omitted] : parts, depth: depth)
    }

    /// Returns the list with another part at the end.
    ///
    /// - Complexity: O(*n*) to copy the list; the depths of its parts are known.
    package func appending<Part: Nesting>(_ part: Part) -> Nested where Content == [Part] {
        let depth = max(self.depth, min(part.depth, depthLimit) + 1)
        return Nested(depth > depthLimit ? [.omitted] : content + [part], depth: depth)
    }
}
