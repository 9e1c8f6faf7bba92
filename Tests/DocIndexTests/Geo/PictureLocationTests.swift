import TestSupport
import Testing

@testable import DocIndex

/// Locations in exiftool's notation, and the documents nearest to a point.
@Suite struct PictureLocationTests {
    private static let flat = GeoField.coordinates(latitude: "GPS:GPSLatitude", longitude: "GPS:GPSLongitude")
    private static let schema = Schema(collections: [
        CollectionDefinition(
            "c",
            indexes: [
                .geo("flat", latitude: "GPS:GPSLatitude", longitude: "GPS:GPSLongitude"),
                .geo("position", on: "Composite:GPSPosition"),
            ]), CollectionDefinition("bare"),
    ])

    @Test func `Coordinates in exiftool's notations are read`() {
        let coordinates: [(String, Double)] = [
            ("48 deg 51' 28.20\" N", 48.857833333333333), ("48 deg 51' 28.20\"", 48.857833333333333),
            ("1 deg 57' 46.20\" W", -1.962833333333333), ("33 deg 30' 0.00\" South", -33.5), ("10 deg 30' E", 10.5),
            ("48,51.47N", 48.857833333333333), ("1,57,46.2W", -1.962833333333333),
        ]
        for (text, degrees) in coordinates {
            #expect(GeoText.degrees(text).map { abs($0 - degrees) < 1e-9 } == true, "\(text)")
        }
        for text in [
            "", "48", "48.5", "-48.5", "N", "48 deg", "48 deg 61' 0\" N", "48 deg 1' 60\" N", "48 deg 1' 2\" X",
            "48 deg 1' 2\" N N", "48,51.47", "48,61N", "a,bN", ",N", "48 deg -1' 2\" N", "1.2.3,4N",
            String(repeating: "1", count: 500) + ",1N",
        ] {
            #expect(GeoText.degrees(text) == nil, "\(text)")
        }
    }

    @Test func `A position in exiftool's notation is a location, and other strings are not`() {
        let paris = GeoPoint(latitude: 48.5, longitude: -2.25)
        for text in ["48 deg 30' 0.00\" N, 2 deg 15' 0.00\" W", "48.5 -2.25", "48,30.0N 2,15.0W"] {
            #expect(GeoPoint(DocumentValue.string(text)) == paris, "\(text)")
        }
        for text in ["48.5,-2.25", "48.5", "48.5 -2.25 7", "91 0", "0 181", "x y", "- -", "48.5  ", "48 deg, 2 deg"] {
            #expect(GeoPoint(DocumentValue.string(text)) == nil, "\(text)")
        }
    }

    /// A document with flat tags: numbers or texts, with or without letters for the hemisphere.
    private static func document(_ id: Int, _ random: inout SplitMix64) -> (DocumentObject, GeoPoint?) {
        var document: DocumentObject = ["id": .int(Int64(id)), "n": .int(Int64(random.number(below: 3)))]
        func degrees(_ count: Int) -> Double { Double(random.number(below: count * 60)) / 60 }
        let (latitude, longitude) = (degrees(90), degrees(180))
        let (isSouth, isWest) = (random.once(in: 2), random.once(in: 2))
        func text(_ value: Double) -> DocumentValue {
            let minutes = Int((value * 60).rounded())
            return .string("\(minutes / 60) deg \(minutes % 60)' 0.00\"")
        }
        let point = GeoPoint(latitude: isSouth ? -latitude : latitude, longitude: isWest ? -longitude : longitude)
        switch random.number(below: 6) {
        case 0: return (document, nil)
        case 1:
            document["GPS:GPSLatitude"] = .double(latitude)
            return (document, nil)
        case 2:
            document["GPS:GPSLatitude"] = .double(point?.latitude ?? 0)
            document["GPS:GPSLongitude"] = .double(point?.longitude ?? 0)
        case 3:
            document["GPS:GPSLatitude"] = text(latitude)
            document["GPS:GPSLongitude"] = text(longitude)
            document["GPS:GPSLatitudeRef"] = isSouth ? "South" : "North"
            document["GPS:GPSLongitudeRef"] = isWest ? "West" : "East"
        default:
            document["GPS:GPSLatitude"] = .double(latitude)
            document["GPS:GPSLongitude"] = .double(longitude)
            document["GPS:GPSLatitudeRef"] = isSouth ? "S" : "N"
            document["GPS:GPSLongitudeRef"] = isWest ? "W" : "E"
        }
        if let point { document["Composite:GPSPosition"] = .string("\(point.latitude) \(point.longitude)") }
        return (document, point)
    }

    @Test func `The nearest documents are those with the smallest distances, with and without an index`() throws {
        var random = TestRun.random(stream: 901)
        var points: [(id: Int, n: Int64, point: GeoPoint)] = []
        try withTemporaryStore(schema: Self.schema) { store in
            try store.write { transaction in
                for id in 0..<400 {
                    let (document, point) = Self.document(id, &random)
                    if let point { points.append((id, document["n"]?.intValue ?? 0, point)) }
                    for name in ["c", "bare"] { try transaction.put(document, in: name) }
                }
            }
            for _ in 0..<TestRun.rounds(30, long: 2000) {
                let center = try #require(
                    GeoPoint(
                        latitude: Double(random.number(below: 180)) - 90,
                        longitude: Double(random.number(below: 360)) - 180))
                let meters = random.pick([nil, 0, 1_000_000, 5_000_000.0])
                let limit = random.pick([nil, 0, 1, 7])
                let filter = random.pick([Filter.all, .compare("n", .equal, 1)])
                let expected = points.filter { filter.isAll || $0.n == 1 }
                    .map { (id: $0.id, meters: center.distance(to: $0.point)) }
                    .filter { $0.meters <= meters ?? .infinity }.sorted { ($0.meters, $0.id) < ($1.meters, $1.id) }
                    .prefix(limit ?? .max)
                for name in ["c", "bare"] {
                    let found = try store.collection(name).nearest(
                        Self.flat, to: center, within: meters, where: filter, limit: limit)
                    #expect(
                        found.map(\.meters).elementsEqual(expected.map(\.meters)) { abs($0 - $1) < 1e-3 },
                        "\(name) \(center); \(TestRun.repetition)")
                    #expect(Set(found.map(\.document.id)).count == found.count)
                }
                let box = try #require(GeoBox(south: -90, west: -180, north: 0, east: 180))
                let south = points.count { $0.point.latitude <= 0 }
                for field in [Self.flat, .location("Composite:GPSPosition")] {
                    for name in ["c", "bare"] {
                        #expect(try store.collection(name).count(where: .isWithin(field, box)) == south)
                    }
                }
            }
        }
    }

    @Test func `A few nearest documents of many are found by growing circles`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try store.write { transaction in
                for id in 0..<5000 {
                    var document: DocumentObject = ["id": .int(Int64(id))]
                    // Every other picture has no location.
                    if id % 2 == 0 {
                        document["Composite:GPSPosition"] = .string("\(Double(id % 90)) \(Double(id % 180))")
                    }
                    try transaction.put(document, in: "c")
                }
            }
            let center = try #require(GeoPoint(latitude: 10, longitude: 10))
            var found = 0
            let execution = try collection.forEachNeighbor(
                .location("Composite:GPSPosition"), of: center, limit: 5
            ) { _ in
                found += 1
                return true
            }
            #expect(found == 5 && execution.documentsExamined < 200, "\(execution)")
            // All of them, but not those without a location.
            let options = Query.Options(hint: .index("position"))
            let all = try collection.forEachNeighbor(
                .location("Composite:GPSPosition"), of: center, limit: nil, options: options
            ) { _ in true }
            #expect(all.resultCount == 2500 && all.documentsExamined <= 2600, "\(all)")
        }
    }

    @Test func `Changing the hemisphere moves a document in the index`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try collection.put([
                "id": "a", "GPS:GPSLatitude": 33.5, "GPS:GPSLongitude": 151, "GPS:GPSLatitudeRef": "N",
            ])
            let sydney = try #require(GeoPoint(latitude: -33.5, longitude: 151))
            #expect(try collection.nearest(Self.flat, to: sydney, within: 10).isEmpty)
            try collection.update("a") { $0["GPS:GPSLatitudeRef"] = "S" }
            #expect(try collection.nearest(Self.flat, to: sydney, within: 10).map(\.document.id) == ["a"])
        }
    }

    @Test func `Pictures without a location are counted by the index alone`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let collection = try store.collection("c")
            try store.write { transaction in
                for id in 0..<100 {
                    var document: DocumentObject = ["id": .int(Int64(id))]
                    if id >= 10 { document["Composite:GPSPosition"] = "48.5 2.25" }
                    try transaction.put(document, in: "c")
                }
            }
            for condition in ["\"Composite:GPSPosition\" missing", "not \"Composite:GPSPosition\" exists"] {
                let filter = try Filter(parsing: condition)
                #expect(try collection.count(where: filter) == 10)
                let explanation = try collection.explain(Query(filter))
                #expect(
                    explanation.actual.plan.indexNames == ["position"] && explanation.actual.documentsExamined <= 10,
                    "\(condition): \(explanation.actual)")
            }
        }
    }
}
