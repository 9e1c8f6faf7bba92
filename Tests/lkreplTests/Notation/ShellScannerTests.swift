import Testing

@testable import lkrepl

@Suite struct `Shell scanner` {
    @Test(
        arguments: [
            ("", []),
            ("  \t ", []),
            ("# only a comment; really", []),
            ("get a", [["get", "a"]]),
            ("  get\t a  ", [["get", "a"]]),
            ("get a # the first", [["get", "a"]]),
            ("get a#b", [["get", "a#b"]]),
            ("get a; get b ;;get c;", [["get", "a"], ["get", "b"], ["get", "c"]]),
            ("get a;# done", [["get", "a"]]),
            ("get 'a b' \"c;d # e\"", [["get", "'a b'", "\"c;d # e\""]]),
            ("get 'it''s'", [["get", "'it''s'"]]),
            (#"get "a\"b c" d"#, [["get", #""a\"b c""#, "d"]]),
            (#"get "a\\" d"#, [["get", #""a\\""#, "d"]]),
            (#"get 'a\' d"#, [["get", #"'a\'"#, "d"]]),
            (#"scan --regex \d+ --limit=5"#, [["scan", "--regex", #"\d+"#, "--limit=5"]]),
            (#"scan --prefix="a b" -r"#, [["scan", #"--prefix="a b""#, "-r"]]),
            (#"find photos title="a b" iso>=400"#, [["find", "photos", #"title="a b""#, "iso>=400"]]),
            (#"find p (iso>=400 or x)"#, [["find", "p", "(iso>=400", "or", "x)"]]),
            (#"put k {"a": "}; \" {", "b": [1, 2]} x"#, [["put", "k", #"{"a": "}; \" {", "b": [1, 2]}"#, "x"]]),
            (
                #"find p --filter-json={"iso": {"$gte": 400}}"#,
                [["find", "p", #"--filter-json={"iso": {"$gte": 400}}"#]]
            ),
            ("get tags[0] a{b", [["get", "tags[0]", "a{b"]]),
            ("put k [1, 'x]", [["put", "k", "[1, 'x]"]]),
            ("get a|b", [["get", "a|b"]]),
            (".once '|less -S'", [[".once", "'|less -S'"]]),
            ("get é\r", [["get", "é"]]),
        ])
    func `The shell scanner splits a line into commands and arguments`(line: String, arguments: [[String]]) throws {
        #expect(try ShellScanner.commands(in: line).map(\.arguments) == arguments)
    }

    @Test func `The shell scanner reports the position of each token`() throws {
        let commands = try ShellScanner.commands(in: "get é x\n\n  put 'ö\n' y; del z")
        #expect(
            commands.flatMap(\.tokens) == [
                ShellToken(raw: "get", line: 1, column: 1, offset: 0),
                ShellToken(raw: "é", line: 1, column: 5, offset: 4),
                ShellToken(raw: "x", line: 1, column: 7, offset: 7),
                ShellToken(raw: "put", line: 3, column: 3, offset: 2),
                ShellToken(raw: "'ö\n'", line: 3, column: 7, offset: 6),
                ShellToken(raw: "y", line: 4, column: 3, offset: 2),
                ShellToken(raw: "del", line: 4, column: 6, offset: 5),
                ShellToken(raw: "z", line: 4, column: 10, offset: 9),
            ])
        #expect(commands.map(\.line) == [1, 3, 4])
        #expect(commands.map(\.source) == ["get é x", "put 'ö\n' y", "del z"])
    }

    @Test func `The shell scanner keeps the exact spelling of a command without its comment`() throws {
        let commands = try ShellScanner.commands(in: "  find p  title =  \"a  b\"   # why; not")
        #expect(commands.map(\.source) == ["find p  title =  \"a  b\""])
    }

    // MARK: - Continuation

    @Test(
        arguments: [
            ("get 'a", .singleQuote), ("get \"a", .doubleQuote), (#"get "a\""#, .doubleQuote),
            ("put k {", .bracket("{")), (#"put k {"a": ["#, .bracket("[")), (#"put k {"a"#, .bracket("{")),
            ("get a", nil), ("get a # 'b", nil), ("get {}", nil),
        ] as [(String, ShellScanner.Construct?)])
    func `The shell scanner reports what a line leaves open`(line: String, construct: ShellScanner.Construct?) throws {
        var scanner = ShellScanner()
        let commands = try scanner.feed(line)
        #expect(scanner.openConstruct == construct)
        #expect(commands.isEmpty == (construct != nil))
    }

    @Test func `The shell scanner holds back all commands until nothing is open`() throws {
        var scanner = ShellScanner()
        #expect(try scanner.feed("get a; put k {").isEmpty)
        #expect(try scanner.feed(#"  "b": 1"#).isEmpty)
        let commands = try scanner.feed("}; get c")
        #expect(commands.map(\.arguments) == [["get", "a"], ["put", "k", "{\n  \"b\": 1\n}"], ["get", "c"]])
        #expect(try scanner.feed("get d").map(\.line) == [4])
    }

    // MARK: - Errors

    @Test(
        arguments: [
            ("\nget 'a\nb", 2, 5, "this ' is never closed"),
            (#"get "a"#, 1, 5, "this \" is never closed"),
            ("put k [1", 1, 7, "this [ is never closed"),
            ("put é {]", 1, 8, "expected } here"),
            ("get a | less", 1, 7, "pipes are not supported"),
        ])
    func `The shell scanner rejects invalid commands with their position`(
        text: String, line: Int, column: Int, message: String
    ) throws {
        let error = try #require(throws: ShellSyntaxError.self) { try ShellScanner.commands(in: text) }
        #expect(error.line == line)
        #expect(error.column == column)
        #expect(error.message.hasPrefix(message))
        #expect(error.description.hasPrefix("\(line):\(column): \(message)"))
    }

    @Test func `The shell scanner continues with the next line after an error`() throws {
        var scanner = ShellScanner()
        #expect(throws: ShellSyntaxError.self) { try scanner.feed("get a; put k {]") }
        #expect(scanner.openConstruct == nil)
        #expect(try scanner.feed("get b") == ShellScanner.commands(in: "\nget b"))
    }

    // MARK: - Completion

    @Test(
        arguments: [
            ("", [], nil), ("ge", [], "ge"), ("get ", ["get"], nil), ("get ph", ["get"], "ph"),
            ("get a; get 'ph o", ["get"], "'ph o"), ("get 'a' ", ["get", "'a'"], nil), ("get 'a'", ["get"], "'a'"),
            ("put k {\"a", ["put", "k"], "{\"a"),
        ] as [(String, [String], String?)])
    func `The shell scanner reports what is being typed`(text: String, tokens: [String], word: String?) throws {
        let point = try #require(ShellScanner.completionPoint(atEndOf: text))
        #expect(point.tokens.map(\.raw) == tokens)
        #expect(point.word?.raw == word)
    }

    @Test func `Nothing is completed in a comment or after an error`() {
        #expect(ShellScanner.completionPoint(atEndOf: "get # a") == nil)
        #expect(ShellScanner.completionPoint(atEndOf: "get | le") == nil)
    }
}

@Suite struct `Argument origins` {
    @Test(
        arguments: [
            ("a b", "a b"), ("'a b'", "a b"), (#""a\tb""#, "a\tb"), ("0x41", "0x41"), ("'0x41'", "0x41"),
            (#"\d+"#, #"\d+"#), (#"'\d+'"#, #"\d+"#), (#"'"exact phrase"'"#, #""exact phrase""#), (#"a"b""#, #"a"b""#),
        ])
    func `Quotes are removed from text typed in the shell`(argument: String, text: String) throws {
        #expect(try ArgumentOrigin.shell.text(of: argument) == text)
    }

    @Test(arguments: ["a b", "'a b'", #""exact phrase""#, "\"open", #"\d+"#])
    func `Text in process arguments is taken literally`(argument: String) throws {
        #expect(try ArgumentOrigin.process.text(of: argument) == argument)
    }

    @Test func `Bytes are rejected where text is expected`() throws {
        let error = try #require(throws: NotationError.self) { try ArgumentOrigin.shell.text(of: #""\xff""#) }
        #expect(error.message.contains("not UTF-8"))
    }

    @Test func `The argument origin is the process unless a task sets another`() {
        #expect(ArgumentOrigin.current == .process)
        ArgumentOrigin.$current.withValue(.shell) { #expect(ArgumentOrigin.current == .shell) }
    }
}
