import DocumentModel
import Testing

@Suite struct JSONErrorTests {
    static let messages: [(String, String)] = [
        (
            "",
            "Expected a JSON value but the text is empty; write an object, array, string, number, true, false or null."
        ),
        ("[1", "Expected ',' or ']' but the text ends here; check that the text is complete."),
        ("{\"a\" 1}", "Expected ':' after a name but found '1'."),
        (
            "{'a':1}",
            "Expected a name in double quotes or '}' but found a single quote; use double quotes."
        ),
        ("[1 // x\n]", "Expected ',' or ']' but found '/'; JSON has no comments."),
        ("[NaN]", "Expected a value but found 'N'; JSON has no NaN or Infinity; write null or a string."),
        ("+1", "Expected a value but found '+'; a number has no plus sign."),
        (".5", "Expected a value but found '.'; a number begins with a digit."),
        ("True", "Expected a value but found 'T'; true, false and null must be lower case."),
        ("\0", "Expected a value but found byte 0x00; the text may be UTF-16; convert it to UTF-8."),
        ("trve", "Expected the rest of 'true' but found 'v'."),
        ("[1,]", "Expected another item after the comma but found ']'; remove the comma."),
        ("{\"a\":1,}", "Expected another item after the comma but found '}'; remove the comma."),
        (
            "{} {}",
            "Expected the end of the text after the value but found '{'; "
                + "write one value, or one on each line if the command reads JSON Lines."
        ),
        ("007", "A number begins with a zero and has further digits; remove the zero, or write a string."),
        ("[1.]", "Expected a digit after '.' but found ']'; add the missing digits."),
        ("-", "Expected a digit after '-' but the text ends here; add the missing digits."),
        ("1ex", "Expected a digit in the exponent but found 'x'; add the missing digits."),
        (
            "18446744073709551615",
            "An integer is outside the 64-bit range and no double represents it exactly; "
                + "write it as a string, or with an exponent to round it."
        ),
        ("1e400", "A number is too large for a double, whose limit is about 1.8e308; write it as a string."),
        (
            #""\q""#,
            #"Found 'q' after a backslash; escapes are \" \\ \/ \b \f \n \r \t and \uXXXX, and a backslash itself is written \\."#
        ),
        (#""\u12z4""#, #"Expected four hexadecimal digits after \u but found 'z'."#),
        (
            #""\ud800""#,
            #"A \u escape from D800 to DBFF is the first half of a character; write the second half (\uDC00 to \uDFFF) right after it."#
        ),
        (
            #""\udc00""#,
            #"A \u escape from DC00 to DFFF is the second half of a character; write the first half (\uD800 to \uDBFF) right before it."#
        ),
        (
            "\"a\nb\"",
            #"A string contains a line feed unescaped; write it as an escape such as \n or \u001f, or close the string if its quote is missing."#
        ),
        ("{\"iso\":1,\"iso\":2}", "The name \"iso\" occurs a second time in one object; keep one of the two members."),
        ("\u{feff}1", "The text begins with a byte order mark; save it as UTF-8 without one."),
        (
            String(repeating: "[", count: 513),
            "Arrays and objects are nested more than 512 deep; flatten the value."
        ),
    ]

    @Test(arguments: messages) func `A JSON error states what was expected and a remedy`(text: String, message: String)
    {
        let error = #expect(throws: JSONError.self) { try DocumentValue(json: text) }
        #expect(error?.message == message)
    }

    @Test func `Invalid UTF-8 has a separate message`() {
        let error = #expect(throws: JSONError.self) { try JSONParser().parse([0x22, 0xff, 0x22]) }
        #expect(error?.message == "A string is not valid UTF-8 here; convert the text to UTF-8.")
    }

    @Test func `The description of a JSON error starts with the position`() {
        let error = #expect(throws: JSONError.self) { try DocumentValue(json: "{\n \"a\" 1}") }
        #expect(error?.description == "line 2, column 6: Expected ':' after a name but found '1'.")
        #expect(error?.offset == 7)
    }

    @Test func `Positions are relative to the start of the enclosing input`() {
        let parser = JSONParser(start: JSONError.Position(offset: 100, line: 7, column: 11))
        let first = #expect(throws: JSONError.self) { try parser.parse("[x]") }
        #expect(first?.position == JSONError.Position(offset: 101, line: 7, column: 12))
        let second = #expect(throws: JSONError.self) { try parser.parse("[\n\nx]") }
        #expect(second?.position == JSONError.Position(offset: 103, line: 9, column: 1))
    }

    @Test func `No JSON error message contains a value`() {
        let secret = "hunter2"
        let texts = [
            "{\"a\":\"\(secret)\",\"a\":1}", "[\"\(secret)\" \"\(secret)\"]", "\"\(secret)\n\"", "\"\(secret)",
            "[\"\(secret)\",]",
            "\"\(secret)\\q\"", "\"\(secret)\" \(secret)", "{\"a\":\"\(secret)\"", "\(secret)", "\"\(secret)\\ud800\"",
        ]
        for text in texts {
            let error = #expect(throws: JSONError.self) { try DocumentValue(json: text) }
            #expect(error?.description.contains(secret) == false)
        }
    }
}
