import TestSupport
import Testing

@testable import TextIndexing

@Suite struct CountingSortTests {
    @Test func `A counting sort groups numbers by key and keeps them in order`() {
        let keys = [2, 0, 2, 1]
        let sorted = CountingSort(count: keys.count, keyCount: 4) { keys[Int($0)] }
        #expect(sorted.numbers == [1, 3, 0, 2])
        #expect(Array(sorted.group(2..<3)) == [0, 2])
        #expect(Array(sorted.group(0..<2)) == [1, 3])
        #expect(sorted.group(3..<4).isEmpty)
        #expect(CountingSort(count: 0, keyCount: 4) { _ in 0 }.group(0..<4).isEmpty)
    }
}
