/// Records of a file in any format, one after another.
///
/// A class because the wrappers around it, such as the one for files of rejects, look at the place of the last record
/// after they got it.
protocol RecordSource: AnyObject {
    /// What the file is called in messages.
    var name: String { get }
    /// Bytes of the file that were taken so far, for progress.
    var byteCount: Int { get }
    /// The last record or fault: its line from 1 (0 without lines), the bytes before it, and its text.
    var place: RecordPlace { get }
    /// What a record needs before it to be read again by itself, such as the first row of CSV; empty for nothing.
    var header: [UInt8] { get }
    /// What the user should know about how the input ended, such as that it is not complete.
    var warning: String? { get }

    /// The next record; `nil` at the end.
    ///
    /// - Throws: ``RecordFault``; if it is recoverable, the next call goes on behind it.
    func next() throws -> InputEvent?
}

extension RecordSource {
    var header: [UInt8] { [] }
    var warning: String? { nil }
}

/// Where a record stood, and its text.
struct RecordPlace {
    var line = 0
    var offset = 0
    /// Empty where the source does not keep it.
    var text: [UInt8] = []
}
