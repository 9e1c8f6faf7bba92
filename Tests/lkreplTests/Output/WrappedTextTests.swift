import Testing

@testable import lkrepl

@Suite(.waitsForPrograms) struct `Wrapped text` {
    @Test func `Wrapped text fits its width, keeps words and paragraphs, and loses nothing`() {
        let text = "one two three four\n\nfive 日本語 six seventeen-letters e\u{301}e\u{301}e\u{301} end"
        for width in 1...60 {
            let lines = WrappedText(width: width).lines(of: text)
            #expect(lines.joined(separator: " ").split(separator: " ") == text.split { " \n".contains($0) })
            #expect(lines.contains(""))
            for line in lines where DisplayWidth.columns(of: line) > width {
                #expect(!line.contains(" "), "\(width): \(line)")
            }
        }
        #expect(WrappedText(width: 10).lines(of: "one two three") == ["one two", "three"])
        #expect(WrappedText(width: 80).lines(of: "as  it is") == ["as  it is"])
    }

    @Test func `Command help is wrapped to the terminal, in the shell and with --help`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            let narrow = try place.run("photos.store", "-c", "help verify", environment: ["COLUMNS": "50"])
            let words = try #require(narrow.lines.drop { !$0.hasPrefix("The files are checked") }.first)
            #expect(words.count <= 50 && words.count > 35, "\(narrow)")
            // Lines are broken at the terminal width, not where the source breaks them.
            let help = try place.run("verify", "--help", environment: ["COLUMNS": "80"])
            let lines = help.lines.drop { !$0.hasPrefix("The files are checked") }.prefix { !$0.hasPrefix("USAGE") }
            #expect(lines.count > 3)
            for line in lines.dropLast() { #expect(line.count > 60, "\(line)") }
        }
    }

    @Test func `The help command suggests a command for an unknown name`() throws {
        try Workplace.with { place in
            let help = try place.run("help", "serch")
            #expect(help.code == 64 && help.output == "" && help.error.contains("did you mean search?"), "\(help)")
            #expect(try place.run("help", "ls").output.contains("USAGE: lkrepl keys"))
            #expect(try place.run("help", "doc", "put").output.contains("USAGE: lkrepl doc put"))
            #expect(try place.run("help").output.contains("Find documents\n  find "))
        }
    }

    @Test func `A dry run of a load into a new database leaves nothing behind`() throws {
        try Workplace.with { place in
            try place.makePhotos()
            try place.write(try place.dump("photos.store"), to: "photos.lkd")
            let before = try place.names()
            let good = try place.run("load", "--create", "new.store", "photos.lkd", "--dry-run")
            #expect(good.code == 0 && good.error.contains("would have read 301"), "\(good)")
            var bytes = try place.read("photos.lkd")
            bytes[bytes.count / 2] ^= 1
            try place.write(bytes, to: "photos.lkd")
            #expect(try place.run("load", "--create", "new.store", "photos.lkd", "--dry-run").code == 65)
            #expect(try place.names() == before)
        }
    }
}
