import DocIndex
import Testing

@testable import lkrepl

@Suite struct `CSV writer` {
    private func csv(_ record: [DelimitedField], _ writer: CSVWriter = CSVWriter()) -> String {
        var output: [UInt8] = []
        writer.append(record, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(
        arguments: [
            (.null, ""), (.text(""), #""""#), (.text("plain"), "plain"), (.text("a,b"), #""a,b""#),
            (.text(#"say "hi""#), #""say ""hi""""#), (.text("a\nb"), "\"a\nb\""), (.text("a\r"), "\"a\r\""),
            (.text(" a"), #"" a""#), (.text("a "), #""a ""#), (.text("a b"), "a b"), (.text(#"\."#), #""\.""#),
            (.text("007"), "007"), (.text("=1+1"), "=1+1"), (.literal("-1.5"), "-1.5"), (.literal("true"), "true"),
            (.bytes([0, 0xff]), "b64:AP8="), (.bytes([]), "b64:"), (.text("b64:AP8="), #""b64:AP8=""#),
            (.text("日本"), "日本"),
        ] as [(DelimitedField, String)])
    func `The CSV writer formats and quotes fields`(field: DelimitedField, text: String) {
        #expect(csv([field]) == text + "\n")
        #expect(csv([.null, field, .literal("1")]) == ",\(text),1\n")
    }

    @Test func `The CSV writer ends records with CRLF on request`() {
        #expect(csv([.text("a"), .null], CSVWriter(endsWithCRLF: true)) == "a,\r\n")
    }

    @Test(
        arguments: [
            (.text("=1+1"), "'=1+1"), (.text("+1"), "'+1"), (.text("-1"), "'-1"), (.text("@a"), "'@a"),
            (.text("\t=1"), "'\t=1"), (.text("\n=1"), "\"'\n=1\""), (.text("＝1"), "'＝1"), (.text("＋1"), "'＋1"),
            (.text("－1"), "'－1"), (.text("＠a"), "'＠a"), (.text("=a,b"), #""'=a,b""#), (.text("a=b"), "a=b"),
            (.literal("-1"), "-1"), (.text(""), #""""#),
        ] as [(DelimitedField, String)])
    func `The CSV writer guards against formulas on request`(field: DelimitedField, text: String) {
        #expect(csv([field], CSVWriter(guardsFormulas: true)) == text + "\n")
    }
}

@Suite struct `TSV writer` {
    private func tsv(_ record: [DelimitedField]) -> String {
        var output: [UInt8] = []
        TSVWriter().append(record, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(
        arguments: [
            (.null, #"\N"#), (.text(""), ""), (.text("a b"), "a b"), (.text("a\tb\nc\rd\\e"), #"a\tb\nc\rd\\e"#),
            (.text(#"\N"#), #"\\N"#), (.text(#"\."#), #"\\."#), (.text("\0\u{1b}\u{7f}"), #"\x00\x1b\x7f"#),
            (.literal("-1.5"), "-1.5"), (.bytes([0x61, 0xff, 0x09, 0xc3, 0xa9, 0xc3]), #"a\xff\té\xc3"#),
            (.text("日本"), "日本"),
        ] as [(DelimitedField, String)])
    func `The TSV writer formats and escapes fields`(field: DelimitedField, text: String) {
        #expect(tsv([field]) == text + "\n")
        #expect(tsv([.null, field, .literal("1")]) == "\\N\t\(text)\t1\n")
    }

    @Test(
        arguments: [
            (.text("=1+1"), "'=1+1"), (.text("\n=1"), #"'\n=1"#), (.text("＝1"), "'＝1"), (.text("a=b"), "a=b"),
            (.literal("-1"), "-1"), (.null, #"\N"#),
        ] as [(DelimitedField, String)])
    func `The TSV writer guards formulas on request`(field: DelimitedField, text: String) {
        var output: [UInt8] = []
        TSVWriter(guardsFormulas: true).append([field], to: &output)
        #expect(String(decoding: output, as: UTF8.self) == text + "\n")
    }

    @Test func `The TSV writer writes one line per record, whatever the bytes`() {
        var output: [UInt8] = []
        TSVWriter().append([.bytes(Array(0...255)), .bytes(Array(0...255))], to: &output)
        #expect(output.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(output.count { $0 == UInt8(ascii: "\t") } == 1)
        #expect(String(validating: output, as: UTF8.self) != nil)
    }
}
