import Testing

@testable import DocIndex

@Suite struct MergeCursorTests {
    /// A run in memory.
    private final class ListRun: SortedRun {
        private var entries: ArraySlice<(key: [UInt8], row: UInt64)>

        init(_ entries: [(key: [UInt8], row: UInt64)]) { self.entries = entries[...] }

        var sortKey: [UInt8] { entries.first?.key ?? [] }
        var row: UInt64 { entries.first?.row ?? 0 }
        var isAtEnd: Bool { entries.isEmpty }

        func advance() { entries.removeFirst() }
    }

    /// Returns the keys and rows of the merged runs as text, such as `a: 3, 7`, each key with its rows in order.
    private static func merged(
        _ runs: [ListRun], isDescending: Bool = false, after start: (key: String, row: UInt64)? = nil
    ) -> [String] {
        let merge = MergeCursor(
            runs: runs, isDescending: isDescending,
            start: start.map { .init(sortKey: Array($0.key.utf8), row: $0.row) })
        var found: [String] = []
        while let step = merge.next() {
            var rows: [UInt64] = []
            for run in step.runs {
                while !run.isAtEnd, run.sortKey == step.sortKey {
                    if run.row > step.startRow { rows.append(run.row) }
                    run.advance()
                }
            }
            let list = rows.sorted().map(String.init).joined(separator: ", ")
            found.append("\(String(decoding: step.sortKey, as: UTF8.self)): \(list)")
        }
        return found
    }

    private static func run(_ entries: (String, UInt64)...) -> ListRun {
        ListRun(entries.map { (Array($0.0.utf8), $0.1) })
    }

    @Test func `Runs are merged in the order of their keys, and equal keys together`() {
        let forward = [Self.run(("b", 1), ("c", 5), ("c", 8)), Self.run(("a", 4), ("c", 2))]
        #expect(Self.merged(forward) == ["a: 4", "b: 1", "c: 2, 5, 8"])
        let backward = [Self.run(("c", 8), ("c", 5), ("b", 1)), Self.run(("c", 2), ("a", 4))]
        #expect(Self.merged(backward, isDescending: true) == ["c: 2, 5, 8", "b: 1", "a: 4"])
    }

    @Test func `Merging no runs or only empty runs yields nothing`() {
        #expect(Self.merged([]).isEmpty)
        #expect(Self.merged([Self.run(), Self.run()]).isEmpty)
        #expect(Self.merged([Self.run(), Self.run(("a", 1))]) == ["a: 1"])
    }

    @Test func `Only rows after the start are wanted, and only for the key of the start`() {
        func runs() -> [ListRun] { [Self.run(("b", 1), ("b", 3), ("c", 1)), Self.run(("b", 2), ("c", 3))] }
        #expect(Self.merged(runs(), after: ("b", 2)) == ["b: 3", "c: 1, 3"])
        #expect(Self.merged(runs(), after: ("a", 9)) == ["b: 1, 2, 3", "c: 1, 3"])
    }

    @Test(arguments: IndexDefinition.Component.Order.allCases, [false, true])
    func `Encoded strings are merged in the direction of travel, also a prefix and its continuations`(
        order: IndexDefinition.Component.Order, isBackward: Bool
    ) {
        let component = IndexDefinition.Component("a", order: order)
        let texts = ["", "a", "a\0", "a\0b", "ab", "b"]
        let ascends = (order == .ascending) != isBackward
        let expected = ascends ? texts : texts.reversed()
        // Every way to distribute the strings over two runs.
        for division in 0..<(1 << texts.count) {
            let runs = [0, 1].map { side in
                ListRun(
                    expected.enumerated().filter { division >> $0.offset & 1 == side }.map {
                        (component.encoded(.string($0.element)), 1)
                    })
            }
            let merge = MergeCursor(runs: runs, isDescending: isBackward, start: nil)
            var found: [[UInt8]] = []
            while let step = merge.next() {
                found.append(step.sortKey)
                for run in step.runs { run.advance() }
            }
            #expect(found == expected.map { component.encoded(.string($0)) }, "division \(division)")
        }
    }
}
