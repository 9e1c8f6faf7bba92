/// Which pictures of a list are prefetched while somebody scrolls through it: those ahead in the direction of scrolling,
/// the nearest first, then some in the other direction.
struct PrefetchWindow {
    private var last: Int?
    private var isForward = true

    /// Returns positions in the order in which they are needed; the current one is the first.
    ///
    /// - Parameters:
    ///   - index: the current position. Those outside of the list give an empty window.
    ///   - count: the length of the list.
    ///   - ahead: how many are prefetched in the direction of scrolling, which the previous call tells.
    ///   - behind: how many in the other direction.
    mutating func move(to index: Int, of count: Int, ahead: Int, behind: Int) -> [Int] {
        if let last, last != index { isForward = index > last }
        last = index
        guard index >= 0, index < count else { return [] }
        let upward = max(0, min(isForward ? ahead : behind, count - 1 - index))
        let downward = max(0, min(isForward ? behind : ahead, index))
        let after = Array(index + 1..<index + 1 + upward)
        let before = Array((index - downward..<index).reversed())
        return [index] + (isForward ? after + before : before + after)
    }
}
