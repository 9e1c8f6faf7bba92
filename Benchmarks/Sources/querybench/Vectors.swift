import DocIndex
import Foundation
import Harness

/// Searches by vectors: the time of a query, and how many of the ten best documents it finds, with several numbers of
/// candidates. The vectors are made up, in two distributions that are known to be different for codes.
struct VectorSearches {
    let directory: String
    let count: Int
    let queryCount: Int
    let dimensions = 512

    func run() throws {
        for distribution in VectorDistribution.Kind.allCases { try run(distribution) }
    }

    private func run(_ kind: VectorDistribution.Kind) throws {
        say("\n\(count) vectors of \(dimensions) dimensions: \(kind.rawValue)")
        var distribution = VectorDistribution(kind, dimensions: dimensions)
        let path = directory + "/vectors-\(kind)-\(count)"
        var store = try DocumentStore.open(
            at: path,
            schema: Schema(collections: [
                CollectionDefinition(
                    "pictures",
                    indexes: [
                        .vector("embedding", on: "embedding", dimensions: dimensions), .value("tenth", on: "tenth"),
                    ])
            ]))
        defer { try? store.close() }
        var pictures = try store.collection("pictures")
        var targets: [[Float]] = []
        let spacing = max(1, count / queryCount)
        let load = try Cost {
            var next = 0
            while next < count {
                try store.write { transaction in
                    for number in next..<min(count, next + 1000) {
                        let vector = distribution.next()
                        if number % spacing == 0, targets.count < queryCount { targets.append(vector) }
                        let bytes = vector.withUnsafeBytes { Data($0) }
                        try transaction.put(
                            [
                                "id": .int(Int64(number)), "tenth": .int(Int64(number % 10)),
                                "embedding": .string(bytes.base64EncodedString()),
                            ], in: "pictures")
                    }
                }
                next += 1000
            }
            try store.flush()
        }
        let size = try pictures.indexSizes().first { $0.name == "embedding" }?.byteCount ?? 0
        say("load, with making the vectors: \(text(load.elapsed / 1e9, 1)) s; index: \(size / 1_000_000) MB")
        let queries = targets.map { distribution.query(near: $0) }
        try store.close()
        store = try DocumentStore.open(at: path)
        pictures = try store.collection("pictures")
        let first = try Cost { _ = try pictures.nearest(to: queries[0], in: "embedding", limit: 10) }
        try pictures.put(["id": -1])
        let changed = try Cost { _ = try pictures.nearest(to: queries[0], in: "embedding", limit: 10) }
        say("the first: \(text(first.elapsed / 1e6, 2)) ms; after a commit: \(text(changed.elapsed / 1e6, 2)) ms")
        let exact = try times(queries) { try pictures.nearest(to: $0, in: "embedding", limit: 10, exact: true) }
        let best = exact.results
        say("best \(text(mean(best, at: 0), 3)), tenth \(text(mean(best, at: 9), 3)) (mean similarity)")
        say("exact: \(exact.line)")
        for candidates in [100, 200, 500, 1000, 2000, nil] {
            let found = try times(queries) {
                try pictures.nearest(to: $0, in: "embedding", limit: 10, candidates: candidates)
            }
            let name = candidates.map { "\($0) candidates" } ?? "default"
            say("\(name): \(found.line); recall \(text(recall(of: found.results, best), 4))")
        }
        let filtered = try times(queries) {
            try pictures.nearest(to: $0, in: "embedding", where: .compare("tenth", .equal, 3), limit: 10)
        }
        say("default, one document in ten: \(filtered.line)")
    }

    private typealias Matches = [DocumentCollection.VectorMatch]

    private struct Times {
        var milliseconds: [Double] = []
        var results: [Matches] = []

        var line: String {
            let sorted = milliseconds.sorted()
            return
                "\(text(sorted[sorted.count / 2], 2)) ms (\(text(sorted[0], 2)) to \(text(sorted[sorted.count - 1], 2)))"
        }
    }

    private func times(_ queries: [[Float]], _ search: ([Float]) throws -> Matches) throws -> Times {
        var times = Times()
        for query in queries {
            let cost = try Cost { times.results.append(try search(query)) }
            times.milliseconds.append(cost.elapsed / 1e6)
        }
        return times
    }

    private func mean(_ results: [Matches], at place: Int) -> Double {
        let values = results.filter { $0.count > place }.map { $0[place].similarity }
        return values.reduce(0, +) / Double(max(1, values.count))
    }

    private func recall(of found: [Matches], _ best: [Matches]) -> Double {
        let shares = zip(found, best).map { found, best in
            let ids = Set(found.map(\.document.id))
            return Double(best.count { ids.contains($0.document.id) }) / Double(max(1, best.count))
        }
        return shares.reduce(0, +) / Double(max(1, shares.count))
    }
}

private func text(_ number: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", number) }

/// Made-up vectors. The same seed gives the same vectors.
struct VectorDistribution {
    enum Kind: String, CaseIterable {
        /// A thousand clusters around centers with the mean 0. The first dimensions have most of the variance.
        case clusters = "clusters"
        /// All vectors have a mean vector in common, of 0.8 of their length. Queries are from another cone, as those
        /// for texts are from another cone than those for pictures in models that are trained with both.
        case cones = "clusters in a cone, queries from another cone"
    }

    let kind: Kind
    let dimensions: Int
    private var random = SeededNumbers(seed: 7)
    private let deviations: [Float]
    private var centers: [[Float]] = []
    private var mean: [Float] = []
    private var queryMean: [Float] = []

    init(_ kind: Kind, dimensions: Int) {
        self.kind = kind
        self.dimensions = dimensions
        deviations = (1...dimensions).map { 1 / Float($0).squareRoot() }
        for _ in 0..<1000 { centers.append(draw(deviations)) }
        let flat = [Float](repeating: 1, count: dimensions)
        mean = Self.unit(draw(flat))
        // The means of the two cones have the cosine 0.3.
        let other = draw(flat)
        let part = zip(mean, other).reduce(0) { $0 + $1.0 * $1.1 }
        let across = Self.unit(zip(mean, other).map { $1 - part * $0 })
        queryMean = zip(mean, across).map { 0.3 * $0 + 0.954 * $1 }
    }

    /// Returns the next vector.
    mutating func next() -> [Float] {
        let center = centers[Int(random.next() % 1000)]
        let own = Self.unit(zip(center, draw(deviations)).map { $0 + 0.7 * $1 })
        return kind == .clusters ? own : zip(mean, own).map { 0.8 * $0 + 0.6 * $1 }
    }

    /// Returns a query whose best result should be near a vector.
    mutating func query(near vector: [Float]) -> [Float] {
        let noise = Self.unit(draw(deviations))
        switch kind {
        case .clusters: return zip(vector, noise).map { $0 + 0.7 * $1 }
        case .cones:
            // The vector without the mean has the length 0.6.
            let own = Self.unit(zip(vector, mean).map { $0 - 0.8 * $1 })
            let turned = Self.unit(zip(own, noise).map { 0.35 * $0 + 0.937 * $1 })
            return zip(queryMean, turned).map { 0.8 * $0 + 0.6 * $1 }
        }
    }

    private mutating func draw(_ deviations: [Float]) -> [Float] {
        var vector: [Float] = []
        vector.reserveCapacity(deviations.count)
        for deviation in deviations { vector.append(deviation * random.nextGaussian()) }
        return vector
    }

    private static func unit(_ vector: [Float]) -> [Float] {
        let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return vector.map { $0 / length }
    }
}

/// Pseudorandom numbers (SplitMix64).
private struct SeededNumbers {
    private var state: UInt64
    private var spare: Float?

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// Returns a number with the normal distribution, by the method of Box and Muller.
    mutating func nextGaussian() -> Float {
        if let number = spare {
            spare = nil
            return number
        }
        let radius = (-2 * Foundation.log((Float(next() >> 40) + 1) / Float(1 << 24))).squareRoot()
        let angle = 2 * Float.pi * Float(next() >> 40) / Float(1 << 24)
        spare = radius * Foundation.sin(angle)
        return radius * Foundation.cos(angle)
    }
}
