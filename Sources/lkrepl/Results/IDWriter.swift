import DocIndex

/// Writes the IDs of documents as they are, for other programs: one per line, or each followed by a zero byte.
final class IDWriter {
    private let output = StandardOutput()
    private let endsWithZero: Bool
    private var count = 0

    init(endsWithZero: Bool) {
        self.endsWithZero = endsWithZero
        OpenOutputs.current?.doneWork = { HumanNumber.counted(self.count, "ID") }
    }

    /// Writes one ID.
    ///
    /// - Throws: ``CommandError`` with `badData` for an ID that contains its own separator: a reader would take it for
    ///   several.
    func write(_ id: DocumentID) throws {
        try Interruption.check(HumanNumber.counted(count, "ID"))
        let bytes = Array((id.value.stringValue ?? id.value.json).utf8)
        let separator: UInt8 = endsWithZero ? 0 : 0x0a
        guard !bytes.contains(separator) else {
            throw CommandError(
                .badData, "the ID \(ByteNotation.print(bytes)) contains a \(endsWithZero ? "zero byte" : "line feed")",
                hint: endsWithZero ? "use --ids --mode jsonl" : "use --ids -0, or --ids --mode jsonl")
        }
        count += 1
        if output.isTerminal {
            try output.write(TerminalText.escaped(bytes, as: .plain) + Array((endsWithZero ? "\\x00\n" : "\n").utf8))
        } else {
            try output.write(bytes + [separator])
        }
    }

    /// Writes the rest, and reports an empty result.
    ///
    /// - Parameter isQuiet: Whether an empty result is not reported.
    func finish(isQuiet: Bool) throws {
        try output.flush()
        guard count == 0, !isQuiet else { return }
        StandardError.shared.write("\(OpenOutputs.current?.command ?? "find"): nothing found\n")
    }
}
