import DocumentModel
import TestSupport
import Testing

@Suite struct DocumentObjectTests {
    @Test func `Members keep their insertion order`() {
        var object: DocumentObject = ["b": 1, "a": 2, "": 3]
        object["c"] = 4
        object["b"] = 5
        #expect(object.map(\.name) == ["b", "a", "", "c"])
        #expect(object.map(\.value) == [5, 2, 3, 4])
        #expect(object.removeValue(forName: "a") == 2)
        #expect(object.removeValue(forName: "a") == .none)
        object["a"] = 6
        #expect(object == ["b": 5, "": 3, "c": 4, "a": 6])
    }

    @Test func `Names are distinguished by their bytes`() {
        let object: DocumentObject = ["\u{e9}": 1, "e\u{301}": 2]
        #expect(object.count == 2)
        #expect(object["\u{e9}"] == 1)
        #expect(object["e\u{301}"] == 2)
        #expect(object["e"] == .none)
    }

    @Test(arguments: [0, 3, 20]) func `A duplicate name is rejected`(count: Int) {
        let members = (0..<count).map { ("n\($0)", DocumentValue.int(1)) } + [("é", 1), ("x", 2), ("é", 3)]
        let error = #expect(throws: DocumentObject.DuplicateNameError.self) {
            try DocumentObject(uniqueMembers: members)
        }
        #expect(error?.name == "é")
        #expect(error?.position == count + 2)
        #expect(
            error?.description == "The name \"é\" occurs a second time, as member \(count + 3) of one object; "
                + "give each member a different name.")
    }

    @Test func `Members with unique names form an object`() throws {
        #expect(try DocumentObject(uniqueMembers: [("a", 1), ("b", 2)]) == ["a": 1, "b": 2])
    }

    @Test func `A literal with a duplicate name is a precondition failure`() async {
        await #expect(processExitsWith: .failure) { _ = ["a": 1, "a": 2] as DocumentObject }
    }

    @Test func `Objects of any size behave like a list of pairs`() {
        var generator = DocumentGenerator()
        for _ in 0..<40 {
            var object = DocumentObject()
            var model: [(name: String, value: DocumentValue)] = []
            for step in 0..<120 {
                let name = "name \(generator.number(below: 60))"
                let known = model.firstIndex { $0.name == name }
                #expect(object[name] == known.map { model[$0].value }, "seed \(generator.seed)")
                #expect(object.position(ofName: name) == known, "seed \(generator.seed)")
                if generator.number(below: 5) == 0 {
                    object[name] = .none
                    if let known { model.remove(at: known) }
                } else {
                    object[name] = .int(Int64(step))
                    if let known {
                        model[known].value = .int(Int64(step))
                    } else {
                        model.append((name, .int(Int64(step))))
                    }
                }
            }
            #expect(object.map(\.name) == model.map(\.name), "seed \(generator.seed)")
            #expect(object.map(\.value) == model.map(\.value), "seed \(generator.seed)")
        }
    }

    @Test func `A copy does not see later changes`() {
        let original: DocumentObject = ["a": 1]
        var copy = original
        copy["a"] = 2
        #expect(original["a"] == 1)
    }
}
