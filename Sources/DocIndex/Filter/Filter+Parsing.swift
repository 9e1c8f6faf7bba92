extension Filter {
    /// Parses a condition in the notation of the shell.
    ///
    /// ```
    /// rating >= 4 and keywords has sea
    /// year between 1920 and 1929 (source = oldnyc or not creator exists)
    /// exif.model in ("X100V", "NIKON D90") and taken >= date 2019-06 and hour(taken) >= 18
    /// people any (name = Ada and role = author) and place near 40.70,-73.99,5
    /// ```
    ///
    /// Operators: `=` `!=` `<` `<=` `>` `>=` `^=` (begins with) `*=` (contains) `IN (…)` `BETWEEN a AND b` `HAS` (some
    /// element equals) `EXISTS` `MISSING` `MATCHES /pattern/i` `IS number` `SIZE n` `MOD d, r` `BELOW keyword [BY '|']`
    /// `ANY (…)` (some element satisfies; `@` is the element) `ANY KEY (…)` (some member name satisfies) `NEAR
    /// lat,lon,km` `WITHIN south,west,north,east`; the last two also accept two paths `lat,lon` on their left. `AND`,
    /// which may be omitted, binds more tightly than `OR`. `NOT` and parentheses have their usual meaning. Keywords are
    /// not case-sensitive. A bare word that is a number, `true`, `false` or `null` is that value; in quotes it is a
    /// string. In a string in double quotes, `\"`, `\'`, `\\`, `\/`, `\n`, `\r`, `\t`, `\u00e9` and `\u{e9}` are escapes;
    /// single quotes keep backslashes. `date 2019`, `date 2019-06` and `date 2019-06-08T18:02` are spans of time: `=` means within, `<` before,
    /// `>` after; `year(path)`, `month(path)` and the other parts of ``DocumentDate/Part`` are compared as numbers.
    /// `ci(path)` and `ci-ai(path)` are compared without case, or without case and accents: `ci(title) = fog`,
    /// `ci-ai(city) ^= mun`, `ci(tags) has sea`. `json '…'` is any value in extended JSON. Empty text and `()` are the
    /// condition that always holds.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery` and the position of the error.
    public init(parsing text: String) throws { try self.init(parsing: text, parameters: [:]) }

    /// Parses a condition in which `:name` stands for a value, so that user input is never parsed as notation.
    ///
    /// - Throws: ``DocIndexError`` with `invalidQuery`, including for a name without a value.
    public init(parsing text: String, parameters: [String: DocumentValue]) throws {
        var parser = try FilterParser(QuerySource(text), parameters: parameters)
        self = try parser.parse()
        try validate()
    }
}
