/// The records of a file in any format, one after another.
///
/// A class, because wrappers such as the source for rejects files read the position of the last record afterwards.
protocol RecordSource: AnyObject {
    /// The file's name in messages.
    var name: String { get }
    /// The bytes of the file consumed so far, for progress.
    var byteCount: Int { get }
    /// The last record or fault: its line number, its byte offset and its text.
    var place: RecordPlace { get }
    /// The lines that must precede a record to read it separately, such as the first row of CSV; empty for none.
    var header: [UInt8] { get }
    /// A warning about the end of the input, such as that it is incomplete; `nil` for none.
    var warning: String? { get }

    /// The next record; `nil` at the end.
    ///
    /// - Throws: ``RecordError``; if it is recoverable, the next call continues after it.
    func next() throws -> InputEvent?
}

extension RecordSource {
    var header: [UInt8] { [] }
    var warning: String? { nil }
}

/// The position of a record, and its text.
struct RecordPlace {
    var line = 0
    var offset = 0
    /// Empty if the source does not keep it.
    var text: [UInt8] = []
}
