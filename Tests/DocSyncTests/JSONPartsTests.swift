import DocIndex
import DocSync
import Testing

@Suite struct JSONPartsTests {
    @Test func `Members and elements are found without parsing them`() throws {
        let text = Array(#" {"a":1e999 , "$é\n":[1,{"b":"]"},"x"],"c":{}} "#.utf8)
        var members = try JSONParts.members(of: text)
        var found: [(String, Range<Int>)] = []
        while let member = try members.nextMember() { found.append((member.name, member.value)) }
        #expect(found.map(\.0) == ["a", "$é\n", "c"])
        #expect(found.map { String(decoding: text[$0.1], as: UTF8.self) } == ["1e999", #"[1,{"b":"]"},"x"]"#, "{}"])
        var elements = try JSONParts.elements(of: Array(text[found[1].1]))
        var texts: [String] = []
        while try elements.moveToElement() {
            texts.append(String(decoding: elements.text[try elements.skipValue()], as: UTF8.self))
        }
        #expect(texts == ["1", #"{"b":"]"}"#, "\"x\""])
    }

    @Test func `Values are parsed where they are, and a value that cannot be read is skipped`() throws {
        var members = try JSONParts.members(of: Array(#"{"a": [1, {"b":2}] , "c":01,"d":"x" y,"e":{"f":3}}"#.utf8))
        #expect(try members.nextName() == "a")
        var elements = try members.enterArray()
        #expect(try elements.moveToElement())
        #expect(try elements.parseValue().get() == 1)
        #expect(try elements.moveToElement())
        var inner = try elements.enterObject()
        #expect(try inner.nextName() == "b")
        #expect(try inner.parseValue().get() == 2)
        #expect(try inner.nextName() == nil)
        elements.leave(inner)
        #expect(try !elements.moveToElement())
        members.leave(elements)
        #expect(try members.nextName() == "c")
        #expect(throws: JSONError.self) { try members.parseValue().get() }
        #expect(try members.nextName() == "d")
        #expect(try members.parseValue().get() == "x")
        #expect(throws: MessageError.self) { try members.nextName() }
    }

    @Test func `An object that ends too early gives a typed error`() throws {
        let text = Array(#"{"a":[1,2],"b":{"c":null}}"#.utf8)
        for count in 0..<text.count {
            let error = #expect(throws: MessageError.self) {
                var members = try JSONParts.members(of: Array(text[..<count]))
                while try members.nextMember() != nil {}
            }
            #expect(error?.code == .truncated, "after \(count) bytes")
        }
    }
}
