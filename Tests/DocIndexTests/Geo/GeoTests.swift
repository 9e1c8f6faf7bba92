import Foundation
import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// Points, boxes and the geo index, compared with a check of every point.
@Suite struct GeoTests {
    private static func point(_ latitude: Double, _ longitude: Double) throws -> GeoPoint {
        try #require(GeoPoint(latitude: latitude, longitude: longitude))
    }

    /// Points concentrated at the poles, the 180th meridian and a town.
    private static func randomPoint(_ random: inout SplitMix64) throws -> GeoPoint {
        func degrees(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        return switch random.number(below: 8) {
        case 0: try point(random.pick([90, -90, 0, 89.999, -89.999]), random.pick([180, -180, 0, 179.999, -179.999]))
        case 1: try point(degrees(-90...90), random.pick([180, -180, 179.9999, -179.9999]))
        case 2: try point(random.pick([90, -90, 89.99, -89.99]), degrees(-180...180))
        case 3, 4: try point(degrees(40.6...40.9), degrees(-74.1 ... -73.8))
        case 5: try point(degrees(-1...1), random.once(in: 2) ? degrees(179...180) : degrees(-180 ... -179))
        default: try point(degrees(-90...90), degrees(-180...180))
        }
    }

    @Test func `A location has several forms; arrays start with the longitude`() throws {
        let town = try Self.point(40.7, -74)
        let values: [DocumentValue] = [
            ["lat": 40.7, "lon": -74], ["latitude": 40.7, "longitude": -74.0, "altitude": 10], [-74, 40.7],
            [-74, 40.7, 12],
            ["type": "Point", "coordinates": [-74, 40.7]], ["type": "Point", "coordinates": [-74, 40.7, 3]],
        ]
        for value in values { #expect(GeoPoint(value) == town, "\(value)") }
        let others: [DocumentValue] = [
            nil, 1, "40.7,-74", [], [1], [1, 2, 3, 4], ["lat": 40.7], ["lat": "40.7", "lon": "-74"],
            ["lat": 91, "lon": 0],
            ["lat": 0, "lon": 180.5], [.double(.nan), 0], [0, .double(.infinity)],
            ["type": "LineString", "coordinates": [1, 2]],
            ["type": "Point", "coordinates": [["lat": 1, "lon": 2], 3]],
            ["type": "Point", "coordinates": ["lat": 1, "lon": 2]],
        ]
        for value in others { #expect(GeoPoint(value) == nil, "\(value)") }
    }

    @Test func `Distances are measured on a sphere`() throws {
        let quarter = GeoPoint.earthRadius * .pi / 2
        #expect(abs(try Self.point(0, 0).distance(to: try Self.point(0, 90)) - quarter) < 1)
        #expect(abs(try Self.point(90, 7).distance(to: try Self.point(0, -120)) - quarter) < 1)
        #expect(abs(try Self.point(90, 7).distance(to: try Self.point(-90, 50)) - 2 * quarter) < 1)
        #expect(try Self.point(10, 180).distance(to: try Self.point(10, -180)) < 0.01)
        #expect(try Self.point(90, 0).distance(to: try Self.point(90, 180)) < 0.01)
        // New York to London, about 5,570 km.
        let distance = try Self.point(40.7128, -74.006).distance(to: try Self.point(51.5074, -0.1278))
        #expect(abs(distance - 5_570_000) < 10_000)
    }

    @Test func `The cells of a box form a few ranges that contain all its points`() throws {
        var random = TestRun.random(stream: 47)
        for _ in 0..<TestRun.rounds(400, long: 20_000) {
            let (a, b) = (try Self.randomPoint(&random), try Self.randomPoint(&random))
            let box = try #require(
                GeoBox(
                    south: min(a.latitude, b.latitude), west: a.longitude, north: max(a.latitude, b.latitude),
                    east: b.longitude))
            let ranges = GeoCell.ranges(covering: box)
            #expect(ranges.count <= GeoCell.rangeLimit && !ranges.isEmpty)
            for (range, next) in zip(ranges, ranges.dropFirst()) { #expect(range.upperBound < next.lowerBound) }
            for _ in 0..<40 {
                let point = try Self.randomPoint(&random)
                let cell = GeoCell.number(of: point)
                if box.contains(point) {
                    #expect(ranges.contains { $0.contains(cell) }, "\(box), \(point), \(TestRun.repetition)")
                }
            }
            for corner in [(box.south, box.west), (box.south, box.east), (box.north, box.west), (box.north, box.east)] {
                let point = try Self.point(corner.0, corner.1)
                #expect(box.contains(point))
                #expect(ranges.contains { $0.contains(GeoCell.number(of: point)) }, "\(box), \(point)")
            }
        }
    }

    @Test func `The cells that cover a box have less than four times its area`() throws {
        let town = try #require(GeoBox(south: 40.6, west: -74.1, north: 40.9, east: -73.8))
        let cells = GeoCell.ranges(covering: town).reduce(0.0) { $0 + Double($1.upperBound - $1.lowerBound) + 1 }
        let area = 0.3 / 180 * 0.3 / 360 * 0x1p64
        #expect(cells < 4 * area, "\(cells / area)")
    }

    @Test func `The box around a circle contains every point of the circle`() throws {
        var random = TestRun.random(stream: 48)
        for _ in 0..<TestRun.rounds(2000, long: 100_000) {
            let (center, point) = (try Self.randomPoint(&random), try Self.randomPoint(&random))
            let distance = center.distance(to: point)
            #expect(
                GeoBox(around: center, radius: distance).contains(point), "\(center), \(point), \(TestRun.repetition)")
            let radius = distance * Double.random(in: 1...3, using: &random)
            #expect(
                GeoBox(around: center, radius: radius).contains(point), "\(center), \(point), \(TestRun.repetition)")
        }
    }

    @Test func `The box around a box contains every point close to it`() throws {
        var random = TestRun.random(stream: 50)
        for _ in 0..<TestRun.rounds(2000, long: 100_000) {
            let (a, b) = (try Self.randomPoint(&random), try Self.randomPoint(&random))
            let box = try #require(
                GeoBox(
                    south: min(a.latitude, b.latitude), west: a.longitude, north: max(a.latitude, b.latitude),
                    east: b.longitude))
            let corner = try Self.point(random.pick([box.south, box.north]), random.pick([box.west, box.east]))
            let point = try Self.point(
                max(-90, min(90, corner.latitude + .random(in: -0.01...0.01, using: &random))), corner.longitude)
            let radius = corner.distance(to: point)
            let wide = GeoBox(around: box, radius: radius)
            #expect(wide.contains(point) && wide.contains(corner), "\(box), \(point), \(TestRun.repetition)")
            #expect(wide.contains(a) && wide.contains(b), "\(box), \(TestRun.repetition)")
            let aside = try Self.randomPoint(&random)
            #expect(
                GeoBox(around: box, radius: corner.distance(to: aside)).contains(aside),
                "\(box), \(aside), \(TestRun.repetition)")
        }
    }

    @Test func `An index finds no point that is a hand's breadth outside`() throws {
        var random = TestRun.random(stream: 51)
        let schema = Schema(collections: [
            CollectionDefinition(
                "c",
                indexes: [
                    .geo("one", on: "gps"), .geo("two", latitude: "y", longitude: "x"), .geo("many", on: "track[]"),
                ])
        ])
        try withTemporaryStore(schema: schema) { store in
            let collection = try store.collection("c")
            let center = try Self.point(40.7, -74)
            // Some ten meters north to south, and west to east.
            let box = try #require(GeoBox(south: 40.7, west: -74, north: 40.7001, east: -73.9999))
            var points: [DocumentID: GeoPoint] = [:]
            try store.write { transaction in
                for number in 0..<TestRun.rounds(500, long: 10_000) {
                    let point = try Self.point(
                        .random(in: 40.69988...40.70012, using: &random),
                        .random(in: -74.00012 ... -73.99988, using: &random))
                    points[.int(Int64(number))] = point
                    let (latitude, longitude) = (
                        DocumentValue.double(point.latitude), DocumentValue.double(point.longitude)
                    )
                    try transaction.put(
                        [
                            "id": .int(Int64(number)), "gps": ["lat": latitude, "lon": longitude], "x": longitude,
                            "y": latitude, "track": [[0, 0], [longitude, latitude]],
                        ], in: "c")
                }
            }
            let fields: [(name: String, field: GeoField)] = [
                ("one", .location("gps")), ("two", .coordinates(latitude: "y", longitude: "x")),
                ("many", .location("track[]")),
            ]
            for (name, field) in fields {
                let byIndex = Query.Options(hint: .index(name))
                for (filter, isIn) in [
                    (Filter.isWithin(field, box), { box.contains($0) }),
                    (.isNear(field, center, meters: 9), { center.distance(to: $0) <= 9 }),
                ] as [(Filter, (GeoPoint) -> Bool)] {
                    let expected = Set(points.filter { isIn($0.value) }.keys)
                    #expect(expected.count > 20 && expected.count < points.count - 20)
                    #expect(
                        Set(try collection.find(Query(filter), options: byIndex).map(\.id)) == expected,
                        "\(name), \(filter)")
                    #expect(
                        try collection.count(where: filter, options: byIndex) == expected.count, "\(name), \(filter)")
                    let nearest = Query(filter, sort: [.nearest(field, to: center)], limit: expected.count + 1)
                    #expect(Set(try collection.find(nearest).map(\.id)) == expected, "\(name), \(filter)")
                }
            }
        }
    }

    @Test func `A circle of any radius has a bounding box`() throws {
        for center in [try Self.point(0, 0), try Self.point(90, 180), try Self.point(-90, -180)] {
            for radius in [0, -1, .nan, .infinity, -.infinity, 1e300, .leastNonzeroMagnitude] as [Double] {
                let box = GeoBox(around: center, radius: radius)
                #expect(box.contains(center), "\(radius)")
                #expect(GeoCell.ranges(covering: box).count <= GeoCell.rangeLimit)
            }
        }
    }

    @Test func `The geo index finds what a check of every point finds, even after changes`() throws {
        var random = TestRun.random(stream: 49)
        let schema = Schema(collections: [
            CollectionDefinition(
                "c",
                indexes: [
                    .geo("one", on: "gps"), .geo("two", latitude: "y", longitude: "x", sparse: true),
                    .geo("many", on: "track[]"),
                ])
        ])
        try withTemporaryStore(schema: schema) { store in
            var model: [UInt64: GeoPoint] = [:]
            var rows: [Int: UInt64] = [:]
            for round in 0..<TestRun.rounds(6, long: 60) {
                for id in 0..<60 where round == 0 || random.once(in: 3) {
                    var document: DocumentObject = ["id": .int(Int64(id))]
                    let row = rows[id] ?? UInt64(id + 1)
                    rows[id] = row
                    model[row] = nil
                    if !random.once(in: 6) {
                        let point = try Self.randomPoint(&random)
                        model[row] = point
                        document["gps"] = ["lat": .double(point.latitude), "lon": .double(point.longitude)]
                        document["x"] = .double(point.longitude)
                        document["y"] = .double(point.latitude)
                        document["track"] = [[.double(point.longitude), .double(point.latitude)]]
                    } else if random.once(in: 2) {
                        document["gps"] = random.pick([nil, "nowhere", ["lat": 100, "lon": 0]])
                    }
                    try store.collection("c").put(document)
                }
                let indexes = try ["one", "two", "many"].map { name in
                    try #require(try store.collection("c").reader().index(named: name)?.geoIndex)
                }
                for _ in 0..<20 { try Self.check(indexes, in: store, against: model, random: &random) }
            }
        }
    }

    private static func check(
        _ indexes: [GeoIndex], in store: DocumentStore, against model: [UInt64: GeoPoint], random: inout SplitMix64
    ) throws {
        let (a, b) = (try randomPoint(&random), try randomPoint(&random))
        let box = try #require(
            GeoBox(
                south: min(a.latitude, b.latitude), west: a.longitude, north: max(a.latitude, b.latitude),
                east: b.longitude))
        let count = random.pick([1, 3, 10, 100])
        let limit = random.pick([.infinity, 1e5, 5e6])
        let nearest = model.map { (distance: a.distance(to: $0.value), row: $0.key) }.filter { $0.distance <= limit }
            .sorted { ($0.distance, $0.row) < ($1.distance, $1.row) }.prefix(count)
        for index in indexes {
            let rows = try index.rows(in: box, reading: store.database)
            #expect(
                rows == model.filter { box.contains($0.value) }.map(\.key).sorted(), "\(box), \(TestRun.repetition)")
            let found = try index.nearest(count, to: a, within: limit, reading: store.database)
            #expect(found.map(\.row) == nearest.map(\.row), "\(a), \(TestRun.repetition)")
            #expect(found.map(\.distance) == nearest.map(\.distance))
        }
    }

    @Test func `Documents without a location are in the geo index unless it is sparse`() throws {
        let index = GeoIndex(number: 1, definition: .geo("g", on: "gps"))
        var keys: [[UInt8]] = []
        for (row, document) in ([[:], ["gps": nil], ["gps": 7], ["gps": [0, 0]]] as [DocumentObject]).enumerated() {
            try index.forEachEntry(of: document, row: UInt64(row + 1)) { key, _ in keys.append(key) }
        }
        #expect(
            keys == [
                [0x56, 0x15, 1, 0x02, 0x15, 1], [0x56, 0x15, 1, 0x04, 0x15, 2], [0x56, 0x15, 1, 0x16, 0x15, 3],
                [0x56, 0x15, 1, 0x18, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0x15, 4],
            ])
        #expect(index.rangesWithoutLocation.count == 3)
        let sparse = GeoIndex(number: 1, definition: .geo("g", on: "gps", sparse: true))
        try sparse.forEachEntry(of: [:], row: 1) { _, _ in Issue.record("no entry is expected") }
    }
}
