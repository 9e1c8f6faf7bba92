import DocumentModel
import TestSupport
import Testing

/// JSON Merge Patch, RFC 7396.
@Suite struct MergePatchTests {
    /// The test cases in appendix A of the RFC: original, patch, result.
    static let cases: [(String, String, String)] = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#), (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#), ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test(arguments: cases) func `A merge patch has the result stated in RFC 7396`(
        original: String, patch: String, result: String
    )
        throws
    {
        let patched = try DocumentValue(json: original).merging(patch: DocumentValue(json: patch))
        #expect(patched.json == result)
    }

    @Test func `Members keep their positions, and new ones are appended in the patch's order`() {
        let object: DocumentObject = ["z": 1, "y": ["q": 1, "p": 2], "x": 3]
        let patched = object.merging(patch: ["b": 1, "x": 4, "y": ["p": 5, "o": 6], "a": 2])
        #expect(patched.description == #"{"z":1,"y":{"q":1,"p":5,"o":6},"x":4,"b":1,"a":2}"#)
        var inPlace = object
        inPlace.mergePatch(["z": nil, "y": nil])
        #expect(inPlace == ["x": 3])
    }

    @Test func `Two encodings of one name are different members`() {
        let object: DocumentObject = ["\u{e9}": 1]
        #expect(object.merging(patch: ["e\u{301}": nil]) == object)
        #expect(object.merging(patch: ["e\u{301}": 2]).count == 2)
    }

    @Test func `The deepest patch is applied on a small stack`() {
        var nested: DocumentObject = ["a": 1]
        for _ in 1..<DocumentValue.maximumDepth { nested = ["a": .object(nested)] }
        let patch = nested
        let isSound = withSmallStack {
            DocumentObject().merging(patch: patch) == patch && patch.merging(patch: patch) == patch
        }
        #expect(isSound == true)
    }
}
