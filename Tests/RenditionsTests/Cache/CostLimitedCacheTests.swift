import TestSupport
import Testing

@testable import Renditions

@Suite struct `A cache with a limit on costs` {
    @Test func `Random operations agree with a model`() {
        var random = TestRun.random(stream: 821)
        var cache = CostLimitedCache<Int, String>(costLimit: 50)
        // The most recently used one is the last.
        var model: [(key: Int, value: String, cost: Int)] = []
        for round in 0..<20_000 {
            let key = random.number(below: 20)
            switch random.number(below: 10) {
            case 0..<4:
                let cost = random.number(below: 60)
                let kept = Set((0..<random.number(below: 6)).map { _ in random.number(below: 20) })
                let isInserted = cache.insert("\(round)", for: key, cost: cost) { kept.contains($0) }
                model.removeAll { $0.key == key }
                if cost <= 50 {
                    while model.reduce(0, { $0 + $1.cost }) + cost > 50,
                        let victim = model.firstIndex(where: { !kept.contains($0.key) })
                    {
                        model.remove(at: victim)
                    }
                }
                let fits = cost <= 50 && model.reduce(0) { $0 + $1.cost } + cost <= 50
                #expect(isInserted == fits)
                if fits { model.append((key, "\(round)", cost)) }
            case 4..<8:
                let expected = model.firstIndex { $0.key == key }.map { model.remove(at: $0) }
                #expect(cache.value(for: key) == expected?.value, "\(TestRun.repetition)")
                if let expected { model.append(expected) }
            case 8:
                cache.remove(key)
                model.removeAll { $0.key == key }
            default:
                #expect(cache.contains(key) == model.contains { $0.key == key })
                if random.once(in: 100) {
                    cache.removeAll()
                    model = []
                }
            }
            #expect(cache.keys == model.reversed().map(\.key), "\(TestRun.repetition)")
            #expect(cache.cost == model.reduce(0) { $0 + $1.cost } && cache.cost <= 50)
            #expect(cache.count == model.count)
        }
    }
}

@Suite struct `The window of prefetching` {
    @Test func `The prefetch window follows the direction of scrolling`() {
        var window = PrefetchWindow()
        #expect(window.move(to: 5, of: 20, ahead: 3, behind: 2) == [5, 6, 7, 8, 4, 3])
        #expect(window.move(to: 6, of: 20, ahead: 3, behind: 2) == [6, 7, 8, 9, 5, 4])
        #expect(window.move(to: 4, of: 20, ahead: 3, behind: 2) == [4, 3, 2, 1, 5, 6])
        // Without a move, the direction is kept.
        #expect(window.move(to: 4, of: 20, ahead: 3, behind: 2) == [4, 3, 2, 1, 5, 6])
        #expect(window.move(to: 1, of: 20, ahead: 3, behind: 2) == [1, 0, 2, 3])
        #expect(window.move(to: 19, of: 20, ahead: 3, behind: 2) == [19, 18, 17])
    }

    @Test func `Positions outside of the list, and negative numbers, give the valid positions in reach`() {
        var window = PrefetchWindow()
        #expect(window.move(to: -1, of: 20, ahead: 3, behind: 2).isEmpty)
        #expect(window.move(to: 20, of: 20, ahead: 3, behind: 2).isEmpty)
        #expect(window.move(to: .max, of: 20, ahead: 3, behind: 2).isEmpty)
        #expect(window.move(to: 0, of: 0, ahead: 3, behind: 2).isEmpty)
        #expect(window.move(to: 1, of: 3, ahead: .max, behind: .max) == [1, 2, 0])
        #expect(window.move(to: 1, of: 3, ahead: -5, behind: -5) == [1])
    }
}
