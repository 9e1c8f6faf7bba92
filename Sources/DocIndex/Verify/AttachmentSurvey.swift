internal import LevelKit

/// Finds the contents of attachments, whatever their records state.
///
/// Reads every attachment in the database. Takes memory for each of them.
struct AttachmentSurvey<Reader: KeyValueReader> {
    private let reader: Reader
    private let files: ContentDirectory

    /// An attachment that was found.
    struct Content: Sendable, Hashable {
        let place: AttachmentRecord.Place
        let byteCount: Int64
    }

    /// The attachments in the database by the digests of their bytes. The lowest number of each.
    private(set) var contents: [Attachment.Digest: (number: UInt64, byteCount: Int64)] = [:]
    /// The keys of further records with the same bytes.
    private(set) var duplicates: [[UInt8]] = []
    /// The attachments under keys that hold no usable number.
    private(set) var unnumbered: [(digest: Attachment.Digest, key: [UInt8])] = []
    /// The largest number of an attachment.
    private(set) var largestNumber: UInt64 = 0

    init(_ reader: Reader, files: ContentDirectory) throws {
        self.reader = reader
        self.files = files
        var cancellation = CancellationCheck()
        var cursor = try reader.cursor(in: .prefix([StoreKey.contents.rawValue]), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            guard let digest = SHA256Hash.digest(of: cursor.value) else { continue }
            guard let number = StoreKey.contentNumber(in: cursor.key) else {
                unnumbered.append((digest, cursor.key.copied()))
                continue
            }
            largestNumber = max(largestNumber, number)
            if contents[digest] == nil {
                contents[digest] = (number, Int64(cursor.value.count))
            } else {
                duplicates.append(cursor.key.copied())
            }
        }
    }

    /// Notes the number that an attachment without one has been given.
    mutating func assign(_ number: UInt64, to digest: Attachment.Digest, byteCount: Int64) {
        contents[digest] = (number, byteCount)
        largestNumber = max(largestNumber, number)
    }

    /// Returns an attachment; `nil` if it is stored nowhere.
    ///
    /// A file that a record describes correctly is not read.
    func content(of digest: Attachment.Digest, _ record: AttachmentRecord?) throws -> Content? {
        if let (number, byteCount) = contents[digest] {
            return Content(place: .database(number: number), byteCount: byteCount)
        }
        do {
            guard let file = try files.open(digest.description) else { return nil }
            let byteCount = Int64(clamping: file.byteCount)
            let isKnown = record?.place == .file && record?.byteCount == byteCount
            guard try isKnown || SHA256Hash.digest(of: file, { _ in try CancellationCheck.now() }) == digest else {
                return nil
            }
            return Content(place: .file, byteCount: byteCount)
        } catch let error as LevelError where error.code == .io {
            // A link, a directory or an unreadable file does not count as content.
            return nil
        }
    }
}
