import DocumentModel
import Testing

import struct Foundation.Data
import class Foundation.JSONSerialization
import class Foundation.NSArray
import class Foundation.NSDictionary

@Suite struct CatalogueTests {
    @Test(.enabled(if: SharedData.catalogue != nil, "../shared/data/catalog-2000.jsonl is missing"))
    func `Every line of the catalog is read and written unchanged`() throws {
        let lines = try #require(SharedData.catalogue).split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 2000)
        var names = FieldNames()
        for line in lines {
            let value = try JSONParser().parse(Array(line))
            // The file was written with a space after colons and commas, and is otherwise canonical.
            #expect(Array(value.json.utf8) == canonical(line))
            #expect(try DocumentValue(json: value.json(JSONWriter(layout: .pretty))) == value)
            let body = try BodyEncoder.encode(value, names: &names)
            #expect(try BodyDecoder.decode(body, names: names) == value)
        }
    }

    @Test(.enabled(if: SharedData.catalogue != nil, "../shared/data/catalog-2000.jsonl is missing"))
    func `Foundation reads the same values from the JSON that is written`() throws {
        for line in try #require(SharedData.catalogue).split(separator: UInt8(ascii: "\n")).prefix(200) {
            let ours = try JSONParser().parse(Array(line)).json
            let original = try JSONSerialization.jsonObject(with: Data(line)) as? NSDictionary
            #expect(try JSONSerialization.jsonObject(with: Data(ours.utf8)) as? NSDictionary == original)
        }
    }

    @Test(.enabled(if: SharedData.exiftool != nil, "../shared/data/exiftool-500.json is missing"))
    func `The output of exiftool is read and written unchanged`() throws {
        let bytes = try #require(SharedData.exiftool)
        let value = try JSONParser().parse(bytes)
        #expect(value.arrayValue?.count == 500)
        let again = try JSONParser().parse(value.json)
        #expect(again == value)
        let foundation = try JSONSerialization.jsonObject(with: Data(bytes)) as? NSArray
        #expect(try JSONSerialization.jsonObject(with: Data(value.json.utf8)) as? NSArray == foundation)
    }

    /// Returns the line without spaces outside of strings.
    private func canonical(_ line: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var (isInString, isEscaped) = (false, false)
        for byte in line {
            if !isInString && byte == UInt8(ascii: " ") { continue }
            result.append(byte)
            if byte == UInt8(ascii: "\"") && !isEscaped { isInString.toggle() }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return result
    }
}
