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
        var elements = try JSONParts.elements(of: text, in: found[1].1)
        var texts: [String] = []
        while let place = try elements.nextElement() { texts.append(String(decoding: text[place], as: UTF8.self)) }
        #expect(texts == ["1", #"{"b":"]"}"#, "\"x\""])
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
