import DocIndex
import TestSupport
import Testing

@testable import StorePackages

@Suite struct `Removal of places` {
    private static let definition = CollectionDefinition(
        "photos", indexes: [.geo("here", on: "spot"), .geo("parts", latitude: "pos.y", longitude: "pos.x")])

    private static func stripped(_ document: DocumentObject) -> DocumentObject {
        PlaceRemoval(definition).document(document)
    }

    @Test(
        arguments: [
            "GPSLatitude", "EXIF:GPSLongitude", "Composite:GPSPosition", "gps", "GPSAltitudeRef", "IPTC:City",
            "IPTC:Sub-location", "IPTC:Province-State", "IPTC:Country-PrimaryLocationCode",
            "IPTC:Country-PrimaryLocationName", "IPTC:ContentLocationName", "XMP-photoshop:State",
            "XMP-photoshop:Country", "XMP-iptcCore:Location", "XMP-iptcCore:CountryCode",
            "XMP-iptcExt:LocationShownCity", "XMP-iptcExt:LocationCreated", "XMP-exif:GPSDestLatitude", "place", "Lat",
            "geotag", "Coordinates", "latitude", "XMP-iptcExt:LocationShownSublocation", "HometownCity",
            "DestinationCityCode", "TimeZoneCity", "City2", "Landmark", "AbsoluteAltitude", "ShotLocation",
            "CreatorPostalCode", "CiAdrCity", "Exif.GPSInfo.GPSLatitude", "Xmp.photoshop.City", "exif_gps_latitude",
            "home_location", "photolocation", "photoLocation",
        ])
    func `The place fields of EXIF, IPTC and XMP are removed at any depth`(name: String) {
        var inner = DocumentObject()
        inner[name] = "Paris"
        inner["rating"] = 4
        let document: DocumentObject = ["id": "a", "list": [.object(inner), 1], "deep": ["tags": .object(inner)]]
        #expect(
            Self.stripped(document) == ["id": "a", "list": [["rating": 4], 1], "deep": ["tags": ["rating": 4]]])
    }

    @Test(
        arguments: [
            "id", "title", "caption", "keywords", "rating", "taken", "Model", "EXIF:Orientation", "Lens", "latest",
            "EXIF:ExposureTime", "XMP-dc:Description", "statement", "cityscape", "capacity", "velocity", "addressee",
            "positions", "zipped", "LatinName", "colon",
        ])
    func `Other fields stay`(name: String) {
        var document: DocumentObject = ["id": "a"]
        document[name] = "Paris"
        #expect(Self.stripped(document) == document)
    }

    @Test func `Fields of geo indexes and values that describe a point are removed`() {
        let document: DocumentObject = [
            "id": "a", "spot": [2.25, 48.5], "pos": ["x": 1.5, "y": 2.5, "z": 3], "a": ["lat": 1, "lon": 2],
            "b": ["type": "Point", "coordinates": [1, 2]], "c": ["48 deg 51' 28.20\" N, 2 deg 17' 49.20\" E", "x"],
            "range": [1.5, 2.5], "point": [-1.863, 53.7225], "centre": "53.7225 -1.863", "d": "53.7225, -1.863",
            "e": "+53.7225-001.8630/", "size": [40, 24], "version": "1.2.3456", "when": "2019-07-14 10.123",
        ]
        var names: Set<String> = []
        let stripped = PlaceRemoval(Self.definition).document(document) { names.insert($0) }
        #expect(
            stripped == [
                "id": "a", "pos": ["z": 3], "c": ["x"], "range": [1.5, 2.5], "size": [40, 24], "version": "1.2.3456",
                "when": "2019-07-14 10.123",
            ])
        #expect(names == ["spot", "x", "y", "a", "b", "c", "point", "centre", "d", "e"])
    }

    @Test func `A long array takes linear time`() {
        func time(_ count: Int) -> Duration {
            let document: DocumentObject = ["id": "a", "list": .array((0..<count).map { .int(Int64($0)) })]
            return processorTime { #expect(Self.stripped(document) == document) }
        }
        // Quadratic time would be a hundred times as long.
        #expect(time(40_000) < time(4000) * 40 + .milliseconds(200))
    }

    @Test func `The deepest document needs no more stack than a thread has`() throws {
        let depth = DocumentValue.maximumDepth - 2
        var value: DocumentValue = ["city": "Paris", "n": 1]
        for _ in 0..<depth { value = [value] }
        let document: DocumentObject = ["id": "a", "deep": value]
        let text = withSmallStack { DocumentValue.object(Self.stripped(document)).json }
        #expect(text?.contains("Paris") == false)
        #expect(text?.contains(#"{"n":1}"#) == true)
    }

    @Test func `A package without places has no place in any of its files, nor the condition`() throws {
        try PackedStore.withPackage { store, _, directory in
            try store.collection("photos").put([
                "id": "IMG_9", "rating": 3, "spot": ["lat": 48.125, "lon": 2.25], "exif": ["GPSLatitude": "48.125"],
                "place": ["city": "Quimper"],
            ])
            var options = PackageWriter.Options()
            options.removesPlaces = true
            let bytes = try PackedStore.pack(store, "rating >= 3 and spot within 48.125,2.25,49,3", options)
            let text = String(decoding: bytes, as: UTF8.self)
            for trace in ["48.125", "Quimper", "GPS", "48.5", "2.25"] { #expect(!text.contains(trace), "\(trace)") }
            #expect(text.contains("IMG_9"))
            try write(bytes, to: directory + "/b.zip")
            let manifest = try Package(at: directory + "/b.zip").manifest
            #expect(manifest.isWithoutPlaces && manifest.condition == nil)
        }
    }
}
