import DocIndex
import TestSupport
import Testing

@testable import lkrepl

/// The pitfalls of exiftool's JSON, each with what is printed and what is meant.
@Suite(.waitsForPrograms) struct `exiftool output` {
    private static func document(_ json: String) throws -> String {
        let text = ExifToolText.rewriting(Array(json.utf8).span)
        guard case .object(let object) = try JSONParser().parse(text) else { return "no object" }
        return DocumentValue.object(ExifToolDocument.normalized(object)).json
    }

    @Test(arguments: [
        // Strings that look like numbers keep their spelling.
        (#"{"IFD0:ImageDescription":2024}"#, #"{"IFD0:ImageDescription":"2024"}"#),
        (#"{"ExifIFD:SerialNumber":12.60}"#, #"{"ExifIFD:SerialNumber":"12.60"}"#),
        (#"{"ExifIFD:LensModel":1e5,"IFD0:Artist":true}"#, #"{"ExifIFD:LensModel":"1e5","IFD0:Artist":"true"}"#),
        (#"{"ExifToolVersion":12.60}"#, #"{"ExifToolVersion":"12.60"}"#),
        (#"{"SourceFile":2024}"#, #"{"SourceFile":"2024"}"#),
        (#"{"ExifIFD:ISO":400,"x":1.50}"#, #"{"ExifIFD:ISO":400,"x":1.5}"#),
        (#"{"MakerNotes:Huge":1e999,"y":-1e999}"#, #"{"MakerNotes:Huge":"1e999","y":"-1e999"}"#),
        (#"{"a":"IFD0:Artist\":1","b":[1,"x,2"]}"#, #"{"a":"IFD0:Artist\":1","b":[1,"x,2"]}"#),
        // A single element is a list, as two are.
        (#"{"IPTC:Keywords":"sea"}"#, #"{"IPTC:Keywords":["sea"]}"#),
        (#"{"IPTC:Keywords":2024}"#, #"{"IPTC:Keywords":["2024"]}"#),
        (#"{"IPTC:Keywords":["sea",2024]}"#, #"{"IPTC:Keywords":["sea","2024"]}"#),
        (#"{"XMP-dc:Subject":"a","XMP-dc:Creator":"b"}"#, #"{"XMP-dc:Subject":["a"],"XMP-dc:Creator":["b"]}"#),
        (#"{"MakerNotes:Owner":"Ann"}"#, #"{"MakerNotes:Owner":"Ann"}"#),
        (#"{"XMP-lr:HierarchicalSubject":"a|b"}"#, #"{"XMP-lr:HierarchicalSubject":["a|b"]}"#),
        // Dates, with the time zone from another tag, or none.
        (
            #"{"ExifIFD:DateTimeOriginal":"2019:07:14 10:11:12"}"#,
            #"{"ExifIFD:DateTimeOriginal":{"$date":"2019-07-14T10:11:12.000"}}"#
        ),
        (
            #"{"ExifIFD:DateTimeOriginal":"2019:07:14 10:11:12","ExifIFD:OffsetTimeOriginal":"+02:00"}"#,
            #"{"ExifIFD:DateTimeOriginal":{"$date":"2019-07-14T10:11:12.000+02:00"},"ExifIFD:OffsetTimeOriginal":"+02:00"}"#
        ),
        (
            #"{"System:FileModifyDate":"2019:07:14 10:11:12-05:00"}"#,
            #"{"System:FileModifyDate":{"$date":"2019-07-14T10:11:12.000-05:00"}}"#
        ),
        (
            #"{"Composite:SubSecDateTimeOriginal":"2019:07:14 10:11:12.25"}"#,
            #"{"Composite:SubSecDateTimeOriginal":{"$date":"2019-07-14T10:11:12.250"}}"#
        ),
        (
            #"{"Composite:GPSDateTime":"2019:07:14 10:11:12Z"}"#,
            #"{"Composite:GPSDateTime":{"$date":"2019-07-14T10:11:12.000Z"}}"#
        ),
        (#"{"ExifIFD:CreateDate":"0000:00:00 00:00:00"}"#, #"{"ExifIFD:CreateDate":null}"#),
        (#"{"ExifIFD:CreateDate":"2019:13:14 10:11:12"}"#, #"{"ExifIFD:CreateDate":"2019:13:14 10:11:12"}"#),
        (#"{"ExifIFD:CreateDate":"2019:07:14"}"#, #"{"ExifIFD:CreateDate":"2019:07:14"}"#),
        (#"{"IFD0:ImageDescription":"2019:07:14 10:11:12"}"#, #"{"IFD0:ImageDescription":"2019:07:14 10:11:12"}"#),
        // Without -n.
        (#"{"GPS:GPSLatitude":"48 deg 51' 0.00\" N"}"#, #"{"GPS:GPSLatitude":48.85}"#),
        (#"{"GPS:GPSLongitude":"9 deg 30' 36.00\" W"}"#, #"{"GPS:GPSLongitude":-9.51}"#),
        (
            #"{"ExifIFD:ExposureTime":"1/250","ExifIFD:FocalLength":"50.0 mm"}"#,
            #"{"ExifIFD:ExposureTime":0.004,"ExifIFD:FocalLength":50.0}"#
        ),
        (#"{"GPS:GPSAltitude":"12.5 m Below Sea Level"}"#, #"{"GPS:GPSAltitude":-12.5}"#),
        (
            #"{"ExifIFD:ExposureTime":"undef","GPS:GPSLatitude":"x"}"#,
            #"{"ExifIFD:ExposureTime":"undef","GPS:GPSLatitude":"x"}"#
        ),
        // Binary data.
        (#"{"IFD1:ThumbnailImage":"(Binary data 3720 bytes, use -b option to extract)","x":1}"#, #"{"x":1}"#),
        (#"{"IFD1:ThumbnailImage":"base64:AP8="}"#, #"{"IFD1:ThumbnailImage":{"$bytes":"AP8="}}"#),
        (#"{"XMP-dc:Title":"base64:no base64"}"#, #"{"XMP-dc:Title":"base64:no base64"}"#),
        // Structures.
        (
            #"{"XMP-mwg-rs:RegionInfo":{"RegionList":[{"Name":7,"Area":{"X":0.5}}]}}"#,
            #"{"XMP-mwg-rs:RegionInfo":{"RegionList":[{"Name":7,"Area":{"X":0.5}}]}}"#
        ),
    ])
    func `exiftool output is converted to what it means`(printed: String, meant: String) throws {
        #expect(try Self.document(printed) == meant)
    }

    /// Invalid JSON is rejected by the parser as usual; nothing traps.
    @Test func `Converting random exiftool output never traps`() throws {
        var generator = SplitMix64(seed: 3)
        let pieces = [
            "{", "}", "[", "]", "\"", "\\", ":", ",", "1e999", "-", "true", "\"IFD0:Artist\"", "12.60", " ", "é",
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...12, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let rewritten = ExifToolText.rewriting(Array(text.utf8).span)
            // Only quotes are added.
            #expect(
                rewritten.filter { $0 != UInt8(ascii: "\"") } == Array(text.utf8).filter { $0 != UInt8(ascii: "\"") })
        }
    }

    @Test(
        .enabled(if: DelimitedTestFiles.hasPictures, "skipped: ../shared/data/photos is not there"),
        .enabled(if: DelimitedTestFiles.hasExiftool, "skipped: exiftool is not installed"))
    func `A directory of pictures is imported with one command`() throws {
        try Workplace.with { place in
            try place.write(#"{"collections":{"files":{"id":"path","indexes":{}}}}"#, to: "schema.json")
            #expect(try place.run("init", "mine.store", "--schema", "schema.json").code == 0)
            let imported = try place.run(
                "import", "--write", "mine.store", "files", "--photos", DelimitedTestFiles.pictures, "--key",
                "SourceFile")
            #expect(imported.code == 0 && imported.says("read 36 inserted 36 "), "\(imported)")
            #expect(try place.run("find", "mine.store", "files", "File:FileType = JPEG", "--count").output == "36\n")
        }
    }

    @Test func `A missing exiftool is reported with its package name`() throws {
        try Workplace.with { place in
            try place.makeItems()
            try place.write("x", to: "a.jpg")
            let outcome = try place.run(
                ["import", "--write", "items.store", "items", "--photos", "."], environment: ["PATH": "/nowhere"])
            #expect(outcome.code == 69 && outcome.says("libimage-exiftool-perl"), "\(outcome)")
            #expect(try place.run("import", "--write", "items.store", "items", "--photos", "none").code == 66)
        }
    }
}
