import DocIndex
import Foundation
import TestSupport
import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Inferred schemas` {
    private static func schema(of texts: String...) throws -> DocumentValue {
        var shape = InferredSchema()
        for text in texts { shape.add(try DocumentValue(json: text)) }
        return shape.jsonSchema(title: "t")
    }

    @Test func `An inferred schema lists common members and their types`() throws {
        let schema = try Self.schema(
            of: #"{"a":1,"b":"x","c":[1,2.5],"d":{"e":null}}"#, #"{"a":1.5,"c":[],"d":{"e":true,"f":1}}"#)
        #expect(
            schema.json
                == ##"{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"t","type":"object","properties":{"##
                + ##""a":{"type":"number"},"b":{"type":"string"},"c":{"type":"array","items":{"type":"number"}},"##
                + ##""d":{"type":"object","properties":{"e":{"type":["null","boolean"]},"f":{"type":"integer"}},"##
                + ##""required":["e"]}},"required":["a","c","d"]}"##)
    }

    /// The law of the type, verified by an independent checker: every document satisfies the schema inferred from it.
    @Test func `Every document satisfies the schema inferred from it`() throws {
        var random = RandomDocuments(TestRun.random(stream: 71))
        for _ in 0..<TestRun.rounds(200, long: 5_000) {
            let documents = (0..<8).map { random.document(id: .int(Int64($0))) }
            var shape = InferredSchema()
            for document in documents { shape.add(.object(document)) }
            let schema = shape.jsonSchema(title: "random")
            for document in documents {
                #expect(
                    Self.satisfies(.object(document), schema),
                    "\(DocumentValue.object(document).json) \(schema.json) \(TestRun.repetition)")
            }
        }
    }

    @Test func `Other documents do not satisfy an inferred schema`() throws {
        let schema = try Self.schema(of: #"{"a":1,"c":["x"]}"#)
        for text in [#"{"a":"1","c":["x"]}"#, #"{"c":["x"]}"#, #"{"a":1,"c":[1]}"#, #"{"a":1.5,"c":[]}"#] {
            #expect(!Self.satisfies(try DocumentValue(json: text), schema), "\(text)")
        }
        #expect(Self.satisfies(try DocumentValue(json: #"{"a":2,"c":["y","z"],"new":1}"#), schema))
    }

    /// Returns whether a value satisfies a schema, for the part of JSON Schema that inference writes.
    private static func satisfies(_ value: DocumentValue, _ schema: DocumentValue) -> Bool {
        let name: String
        switch value {
        case .null: name = "null"
        case .bool: name = "boolean"
        case .int: name = "integer"
        case .double: name = "number"
        case .string, .date, .bytes: name = "string"
        case .array: name = "array"
        case .object, .attachment: name = "object"
        }
        var names = schema["type"]?.arrayValue?.compactMap(\.stringValue) ?? []
        if let single = schema["type"]?.stringValue { names.append(single) }
        guard names.contains(name) || name == "integer" && names.contains("number") else { return false }
        if case .array(let elements) = value {
            return elements.allSatisfy { element in schema["items"].map { satisfies(element, $0) } ?? false }
        }
        guard case .object(let object) = value else { return true }
        let required = schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? []
        guard required.allSatisfy({ object[$0] != nil }) else { return false }
        return object.allSatisfy { member in
            schema["properties"]?[member.name].map { satisfies(member.value, $0) } ?? true
        }
    }

    @Test func `The schema command prints the inferred schema and the declared one`() throws {
        try Workplace.with { place in
            try place.makeItems()
            #expect(try place.run("doc", "put", "--write", "items.store", "items", #"{"id":"a","n":1}"#).code == 0)
            let inferred = try place.run("schema", "items.store", "items", "--json-schema", "10", "--json")
            #expect(inferred.output.hasSuffix(#""required":["id","n"]}"# + "\n"), "\(inferred)")
            #expect(inferred.says("inferred from 1 of 1 document in"))
            let declared = try place.run("schema", "items.store", "items", "--json")
            #expect(declared.output == (try place.run("schema", "items.store", "--json").output), "\(declared)")
            #expect(try place.run("schema", "items.store", "nothing").code == 64)
            #expect(try place.run("schema", "items.store", "--json-schema", "0").code == 64)
        }
    }
}
