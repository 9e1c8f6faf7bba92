import DocIndex
import Foundation
import Testing

@testable import lkrepl

/// Metadata that goes back to the files of pictures.
@Suite(.waitsForPrograms) struct `Metadata for pictures` {
    @Test func `Plain fields take precedence over tags, and tags that a document has are kept equal`() throws {
        let metadata = PictureMetadata()
        let document: DocumentObject = [
            "SourceFile": "/p/a.jpg", "caption": "New", "IPTC:Caption-Abstract": "Old", "XMP-dc:Description": "Old",
            "IPTC:Keywords": ["a", 1885], "rating": 4, "ExifIFD:ISO": 100, "taken": "2019:07:14 10:00:00",
            "title": .null,
            "place": ["city": "Łódź"], "gps": ["lat": -33.5, "lon": 151.25], "label": true,
        ]
        let object = try #require(metadata.exifToolObject(file: "/p/a.jpg", document))
        #expect(
            object == [
                "SourceFile": "/p/a.jpg", "IPTC:CodedCharacterSet": "UTF8", "XMP-dc:Description": "New",
                "IPTC:Caption-Abstract": "New", "IPTC:Keywords": ["a", "1885"], "XMP-xmp:Rating": 4,
                "XMP-photoshop:DateCreated": "2019:07:14 10:00:00", "XMP-photoshop:City": "Łódź",
                "XMP-exif:GPSLatitude": -33.5, "XMP-exif:GPSLongitude": 151.25,
            ], "\(DocumentValue.object(object).json)")
        #expect(metadata.exifToolObject(file: "b", ["ExifIFD:ISO": 100]) == nil)
        let mapped = PictureMetadata(mapping: [("note", "XMP-dc:Description"), ("stars", "XMP-xmp:Rating")])
        let own = try #require(
            mapped.exifToolObject(file: "b", ["note": "N", "caption": "C", "stars": 2, "rating": 5]))
        #expect(own == ["SourceFile": "b", "XMP-dc:Description": "N", "XMP-xmp:Rating": 2])
    }

    @Test func `The table in docs/metadata.md has each property with its members and tags`() throws {
        let text = try String(contentsOfFile: Binary.package + "/docs/metadata.md", encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            row.split(separator: "|").map { cell in cell.matches(of: /`([^`]+)`/).map { String($0.output.1) } }
                .filter { !$0.isEmpty }
        }
        // Places have two tags, and hierarchical subjects no plain name.
        var expected = PictureMetadata.properties.filter { !$0.fields.isEmpty }.map { property in
            [property.fields.map { String(describing: $0) }, [property.tag] + property.others]
        }
        expected.append([["gps", "location"], ["XMP-exif:GPSLatitude", "XMP-exif:GPSLongitude"]])
        expected += PictureMetadata.properties.filter(\.fields.isEmpty).map { [[$0.tag]] }
        #expect(rows == expected)
    }

    @Test func `Sidecars are escaped, and dates and coordinates have the notation of XMP`() {
        let entries = PictureMetadata().sidecarEntries(of: [
            "caption": "a < b & \"c\" > d\r\n\u{1}\u{fffe}", "keywords": ["<x>"],
            "ExifIFD:DateTimeOriginal": .date(DocumentDate(milliseconds: 0)), "GPS:GPSLatitude": 33.99999999999,
            "GPS:GPSLongitude": 1.5, "GPS:GPSLatitudeRef": "S",
        ])
        let text = XMPSidecar.text(entries)
        for part in [
            "a &lt; b &amp; \"c\" &gt; d&#13;\n\u{fffd}\u{fffd}<", "<rdf:li>&lt;x&gt;</rdf:li>",
            "<photoshop:DateCreated>1970-01-01T00:00:00</photoshop:DateCreated>",
            "<exif:GPSLatitude>34,0.0000000S</exif:GPSLatitude>",
            "<exif:GPSLongitude>1,30.0000000E</exif:GPSLongitude>",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        #expect(!text.contains("xmlns:lr"))
    }

    @Test func `Sidecars are named after pictures, and existing files are not replaced without --force`() throws {
        try Workplace.with { place in
            try place.makeItems()
            let documents = """
                {"id":"1","file":"IMG_1.jpg","title":"One"}
                {"id":"2","file":"a/IMG_2.CR2","title":"Two"}
                {"id":"3","file":"a/IMG_2.jpg","title":"Three"}
                {"id":"4","title":"No file"}
                {"id":"5","file":"IMG_5.jpg"}
                """
            #expect(
                try place.run(["import", "--write", "items.store", "items", "-"], input: Array(documents.utf8)).code
                    == 0)
            let made = try place.run("export", "items.store", "items", "--xmp", "side")
            #expect(made.code == 0 && made.says("3 sidecars") && made.says("1 document was left out"), "\(made)")
            #expect(try place.names(in: "side") == ["IMG_1.xmp", "IMG_2.CR2.xmp", "IMG_2.jpg.xmp"])
            try place.write("mine", to: "side/IMG_1.xmp")
            let again = try place.run("export", "items.store", "items", "--xmp", "side")
            #expect(again.code == 73 && again.says("--force"), "\(again)")
            #expect(try place.read("side/IMG_1.xmp") == Array("mine".utf8))
            #expect(try place.run("export", "items.store", "items", "--xmp", "side", "--force").code == 0)
            #expect(try place.read("side/IMG_1.xmp") != Array("mine".utf8))
            let more = #"{"id":"6","file":"b/IMG_1.jpg","title":"Other"}"#
            #expect(
                try place.run(["import", "--write", "items.store", "items", "-"], input: Array(more.utf8)).code == 0)
            let same = try place.run("export", "items.store", "items", "--xmp", "new")
            #expect(same.code == 64 && same.says("IMG_1.jpg.xmp") && !place.has("new"), "\(same)")
            for arguments in [
                ["--xmp", "d", "--to", "exiftool"], ["--to", "picasa"], ["--map", "a=XMP-dc:Title"],
                ["--to", "exiftool", "--map", "a"], ["--to", "exiftool", "--fields", "a"], ["--pictures", "d"],
            ] {
                let outcome = try place.run(["export", "items.store", "items"] + arguments)
                #expect(outcome.code == 64, "\(arguments): \(outcome)")
            }
        }
    }
}

/// Round trips through the real exiftool, on copies of pictures in `../shared/data`.
@Suite(.waitsForPrograms) struct `Metadata written by exiftool` {
    private static let pictures = Binary.package + "/../shared/data/photos"
    private static let canRun = Installed.has("exiftool") && FileManager.default.fileExists(atPath: pictures)
    private static let skipped: Comment = "skipped: exiftool or ../shared/data/photos is not there"

    private func tags(_ file: String, in place: Workplace) throws -> DocumentObject {
        let outcome = try place.run(
            program: try #require(Installed.path(of: "exiftool")),
            ["-json", "-n", "-G1", "-struct", "-q", "-q", file].map { Array($0.utf8) })
        return try #require(JSONParser().parse(outcome.bytes).arrayValue?.first?.objectValue, "\(outcome)")
    }

    @Test(.enabled(if: canRun, skipped))
    func `Caption, keywords, rating and place arrive in the pictures`() throws {
        try Workplace.with { place in
            try FileManager.default.createDirectory(atPath: place.path + "/p", withIntermediateDirectories: false)
            for (file, name) in [
                ("Canon IXUS v3.jpg", "a b.jpg"), ("Issue 80.jpg", "c.jpg"), ("Nikon D1X.jpg", "d.jpg"),
            ] {
                try FileManager.default.copyItem(atPath: "\(Self.pictures)/\(file)", toPath: "\(place.path)/p/\(name)")
            }
            try place.write(#"{"collections":{"files":{"id":"SourceFile"}}}"#, to: "schema.json")
            #expect(try place.run("init", "mine.store", "--schema", "schema.json").code == 0)
            #expect(try place.run("import", "--write", "mine.store", "files", "--photos", "p").code == 0)
            let before = try place.read("p/d.jpg")
            let changes = #"""
                {"caption":"Föhn & <Fog> \"über\" 橋","title":"T","keywords":["eins","zwei, drei","四"],"rating":4,
                 "people":["Nora"],"gps":{"lat":-33.5,"lon":151.25},"place":{"city":"Łódź"},"IPTC:Keywords":["old"]}
                """#
            for name in ["a b.jpg", "c.jpg"] {
                let patched = try place.run(
                    "doc", "patch", "--write", "mine.store", "files", "\(place.path)/p/\(name)", changes)
                #expect(patched.code == 0, "\(patched)")
            }
            let exported = try place.run(
                "export", "mine.store", "files", "rating exists", "--to", "exiftool", "-o", "changes.json")
            #expect(exported.code == 0 && exported.says("2 documents"), "\(exported)")
            let written = try place.run(
                program: try #require(Installed.path(of: "exiftool")),
                ["-q", "-m", "-json=changes.json", "-overwrite_original", "p"].map { Array($0.utf8) })
            #expect(written.code == 0 && !written.error.contains("Warning"), "\(written)")
            for name in ["a b.jpg", "c.jpg"] {
                let tags = try tags("p/\(name)", in: place)
                #expect(tags["XMP-dc:Description"] == "Föhn & <Fog> \"über\" 橋", "\(tags)")
                #expect(tags["XMP-dc:Subject"] == ["eins", "zwei, drei", "四"])
                #expect(tags["IPTC:Keywords"] == ["eins", "zwei, drei", "四"])
                #expect(tags["XMP-xmp:Rating"] == 4)
                #expect(tags["XMP-photoshop:City"] == "Łódź")
                #expect(tags["XMP-exif:GPSLatitude"] == -33.5 && tags["XMP-exif:GPSLongitude"] == 151.25)
            }
            #expect(try place.read("p/d.jpg") == before)
            // The next import stores what exiftool wrote and keeps the plain fields; the round trip is complete.
            #expect(try place.run("import", "--write", "mine.store", "files", "--photos", "p").code == 0)
            let found = try place.run(
                "count", "mine.store", "files", "XMP-dc:Description = caption or \"XMP-dc:Description\" ^= Föhn")
            #expect(found.output == "2\n", "\(found)")
        }
    }

    @Test(.enabled(if: canRun, skipped)) func `exiftool reads the sidecars of the sample catalog as they were written`()
        throws
    {
        try Workplace.with { place in
            try place.makePhotos()
            #expect(try place.run("export", "photos.store", "photos", "gps exists", "--xmp", "side").code == 0)
            let outcome = try place.run(
                program: try #require(Installed.path(of: "exiftool")),
                ["-json", "-n", "-G1", "-q", "-validate", "-warning", "-all", "side"].map { Array($0.utf8) })
            var found: [String: DocumentObject] = [:]
            for element in try JSONParser().parse(outcome.bytes).arrayValue ?? [] {
                let object = try #require(element.objectValue)
                #expect(object["ExifTool:Warning"] == nil, "\(object)")
                let name = try #require(object["SourceFile"]?.stringValue?.split(separator: "/").last)
                found[String(name.dropLast(".xmp".count))] = object
            }
            let documents = try place.run("find", "photos.store", "photos", "gps exists")
            #expect(found.count == documents.lines.count && found.count > 100)
            for line in documents.lines {
                let document = try #require(JSONParser().parse(Array(line.utf8)).objectValue)
                let file = try #require(document["file"]?.stringValue)
                let stem = file.split(separator: ".").dropLast().joined(separator: ".")
                let tags = try #require(found[stem] ?? found[file], "\(file)")
                if let title = document["title"] { #expect(tags["XMP-dc:Title"] == title, "\(file)") }
                if let caption = document["caption"] { #expect(tags["XMP-dc:Description"] == caption, "\(file)") }
                if let rating = document["rating"] { #expect(tags["XMP-xmp:Rating"] == rating, "\(file)") }
                let latitude = try #require(document["gps"]?["lat"]?.numberValue)
                #expect(tags["XMP-exif:GPSLatitude"]?.numberValue.map { abs($0 - latitude) < 1e-8 } == true, "\(file)")
            }
        }
    }
}
