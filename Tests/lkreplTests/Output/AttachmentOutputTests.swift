import DocIndex
import Testing

@testable import lkrepl

@Suite struct `Output of attachments` {
    private static let form =
        #"{"$attachment":{"sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","bytes":2100000,"#
        + #""type":"image/jpeg","name":"IMG_1.jpg"}}"#

    private static func value() throws -> DocumentValue { try DocumentValue(json: form, notation: .tagged) }

    @Test func `A table shows the name, the type and the size of an attachment`() throws {
        let value = try Self.value()
        #expect(ResultWriter.cell(value).text == "IMG_1.jpg (image/jpeg, 2.1 MB)")
        let digest = try #require(value.attachmentValue?.digest)
        let nameless = try #require(Attachment(digest: digest, byteCount: 0))
        #expect(ResultWriter.cell(.attachment(nameless)).text == "application/octet-stream, 0 B")
        let hostile = try #require(Attachment(digest: digest, byteCount: .max, type: "a\u{1b}[2J", name: "b\nc"))
        let text = ResultWriter.cell(.attachment(hostile)).text
        #expect(!text.contains("\u{1b}") && !text.contains("\n") && text.hasSuffix("9.2 EB)"), "\(text)")
        #expect(ValueKinds(of: "a", in: [["a": value]]).description == "attachment")
    }

    @Test func `CSV contains the JSON form of an attachment, and reads it back from a JSON column`() throws {
        let value = try Self.value()
        #expect(DelimitedColumn.kind(of: value) == .json)
        for kind in [nil, DelimitedColumn.Kind.json] {
            let column = DelimitedColumn(path: "original", kind: kind)
            guard case .text(let cell) = column.field(of: value) else {
                Issue.record("\(column.field(of: value))")
                continue
            }
            #expect(cell == Self.form)
        }
        let cell = DelimitedReader.Cell(bytes: Array(Self.form.utf8), isQuoted: true)
        #expect(try DelimitedColumn(path: "original", kind: .json).value(of: cell) == value)
    }

    @Test func `The fields of a document include the members of its attachments`() throws {
        var inventory = FieldInventory()
        inventory.add(["original": try Self.value()])
        let rows = inventory.rows(indexes: [])
        #expect(
            rows.map { $0["field"] } == [
                "original", "original.sha256", "original.bytes", "original.type", "original.name",
            ])
        #expect(rows[0]["types"] == ["attachment"])
        #expect(rows[3]["example"] == "image/jpeg")
    }

    @Test func `An inferred schema describes an attachment as an object with its members`() throws {
        var schema = InferredSchema()
        schema.add(["original": try Self.value()])
        let original = schema.jsonSchema(title: "x")["properties"]?["original"]
        #expect(original?["type"] == "object")
        #expect(original?["properties"]?["bytes"]?["type"] == "integer")
        #expect(original?["required"] == ["sha256", "bytes", "type", "name"])
    }
}
