/// The numbers from 0 on, grouped by a small key and ascending within each group.
///
/// For example, the numbers 0 to 3 with the keys 2, 0, 2, 1 are sorted as 1, 3, 0, 2: the group of key 0 is 1, that of
/// key 1 is 3, and that of key 2 is 0, 2.
struct CountingSort {
    /// The numbers, group by group.
    let numbers: [UInt32]
    /// The start of each group in ``numbers``, and the end of the last.
    private let starts: [UInt32]

    /// Groups the numbers below `count` by keys below `keyCount`.
    ///
    /// - Complexity: O(*n*) in `count` and `keyCount`.
    init(count: Int, keyCount: Int, key: (UInt32) -> Int) {
        var starts = [UInt32](repeating: 0, count: keyCount + 1)
        for number in 0..<UInt32(count) { starts[key(number) + 1] += 1 }
        for index in 1..<starts.count { starts[index] += starts[index - 1] }
        var next = starts
        var numbers = [UInt32](repeating: 0, count: count)
        for number in 0..<UInt32(count) {
            let key = key(number)
            numbers[Int(next[key])] = number
            next[key] += 1
        }
        self.numbers = numbers
        self.starts = starts
    }

    /// Returns the numbers of some consecutive keys.
    func group(_ keys: Range<Int>) -> ArraySlice<UInt32> {
        numbers[Int(starts[keys.lowerBound])..<Int(starts[keys.upperBound])]
    }
}
