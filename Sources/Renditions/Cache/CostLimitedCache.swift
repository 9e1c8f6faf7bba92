/// Values by key with a limit on their total cost. The least recently used ones are dropped first.
///
/// - Complexity: O(1) on average for each call, and for each value that is dropped.
struct CostLimitedCache<Key: Hashable, Value> {
    /// The maximum total cost.
    let costLimit: Int
    /// The total cost of the values.
    private(set) var cost = 0
    private var positions: [Key: Int] = [:]
    /// A list in the order of use, linked by positions; `free` lists the unused nodes.
    private var nodes: [Node] = []
    private var free: [Int] = []
    private var newest: Int?
    private var oldest: Int?

    private struct Node {
        var key: Key
        var value: Value?
        var cost: Int
        var newer: Int?
        var older: Int?
    }

    init(costLimit: Int) { self.costLimit = costLimit }

    /// The number of values.
    var count: Int { positions.count }

    /// The keys, the most recently used first.
    var keys: [Key] {
        var keys: [Key] = []
        var position = newest
        while let next = position {
            keys.append(nodes[next].key)
            position = nodes[next].older
        }
        return keys
    }

    /// Returns a value, which becomes the most recently used one; `nil` if there is none.
    mutating func value(for key: Key) -> Value? {
        guard let position = positions[key] else { return nil }
        unlink(position)
        linkNewest(position)
        return nodes[position].value
    }

    /// Returns whether there is a value, without using it.
    func contains(_ key: Key) -> Bool { positions[key] != nil }

    /// Adds a value, and drops others beyond the limit, but none that `isKept` names.
    ///
    /// - Returns: `false` if the value does not fit: it is larger than the limit, or only kept ones are left to drop.
    mutating func insert(_ value: Value, for key: Key, cost: Int, keeping isKept: (Key) -> Bool = { _ in false })
        -> Bool
    {
        remove(key)
        guard cost <= costLimit else { return false }
        var position = oldest
        while self.cost + cost > costLimit, let next = position {
            position = nodes[next].newer
            if !isKept(nodes[next].key) { remove(nodes[next].key) }
        }
        guard self.cost + cost <= costLimit else { return false }
        let node = Node(key: key, value: value, cost: cost)
        let place: Int
        if let reused = free.popLast() {
            nodes[reused] = node
            place = reused
        } else {
            place = nodes.count
            nodes.append(node)
        }
        positions[key] = place
        self.cost += cost
        linkNewest(place)
        return true
    }

    /// Drops a value, if there is one.
    mutating func remove(_ key: Key) {
        guard let position = positions.removeValue(forKey: key) else { return }
        unlink(position)
        cost -= nodes[position].cost
        nodes[position].value = nil
        free.append(position)
    }

    /// Drops all values.
    mutating func removeAll() { self = CostLimitedCache(costLimit: costLimit) }

    private mutating func unlink(_ position: Int) {
        let node = nodes[position]
        if let newer = node.newer { nodes[newer].older = node.older } else { newest = node.older }
        if let older = node.older { nodes[older].newer = node.newer } else { oldest = node.newer }
    }

    private mutating func linkNewest(_ position: Int) {
        nodes[position].newer = nil
        nodes[position].older = newest
        if let newest { nodes[newest].newer = position } else { oldest = position }
        newest = position
    }
}
