import Dispatch
import DocIndex
import Synchronization

/// Stores the contents of pictures before their documents are written.
///
/// Two threads work on a group of pictures, so that one reads and hashes while the other one waits for the disk. Memory
/// does not depend on the size of the pictures.
final class PictureContents {
    /// The member of the documents that refers to the content.
    let member: String
    private let store: DocumentStore
    private let files: [PictureFile]
    /// The positions of the files by their paths.
    private let positions: [[UInt8]: Int]
    /// The number of files that have been stored, or failed.
    private var storedCount = 0
    private var results: [Int: Result<Attachment, any Error>] = [:]

    /// The number of pictures to store together.
    private static let groupCount = 16
    private static let threadCount = 2

    /// - Parameter files: The pictures in the order in which they will be needed.
    init(of files: [PictureFile], in store: DocumentStore, member: String) {
        self.files = files
        self.store = store
        self.member = member
        positions = Dictionary(files.enumerated().map { (Array($1.path.utf8), $0) }) { first, _ in first }
    }

    /// The size of all pictures up to one in bytes; `nil` for an unknown path.
    private(set) lazy var byteCounts: [Int] = {
        var sum = 0
        return files.map { file in
            sum += Int(clamping: file.byteCount)
            return sum
        }
    }()

    /// The size of all pictures up to that at a path, in bytes; `nil` for an unknown path.
    func byteCount(upTo path: String) -> Int? { positions[Array(path.utf8)].map { byteCounts[$0] } }

    /// The reference to the stored content of a picture; `nil` for an unknown path.
    ///
    /// - Parameter type: The media type, if it does not follow from the file name; `nil` if it is not known.
    /// - Throws: ``RecordError`` if the picture cannot be read; the errors of the store.
    func attachment(for path: String, type: String?) throws -> Attachment? {
        guard let position = positions[Array(path.utf8)] else { return nil }
        if position >= storedCount { storeGroup(from: position) }
        // Pictures before this one will not be needed: exiftool keeps the order.
        results = results.filter { $0.key >= position }
        guard let result = results.removeValue(forKey: position) else { return nil }
        do {
            let attachment = try result.get()
            guard attachment.type == Attachment.unknownType, let type else { return attachment }
            return Attachment(
                digest: attachment.digest, byteCount: attachment.byteCount, type: type, name: attachment.name)
        } catch let failure as CommandError {
            var fault = RecordError(.reading, failure.message, hint: failure.hint)
            fault.exitCode = failure.exitCode
            throw fault
        }
    }

    private func storeGroup(from first: Int) {
        let end = min(files.count, first + Self.groupCount)
        let group = Group(files[first..<end], store)
        DispatchQueue.concurrentPerform(iterations: Self.threadCount) { _ in group.work() }
        results.merge(group.results) { $1 }
        storedCount = end
    }

    /// The pictures that are stored together.
    private final class Group: Sendable {
        private let files: ArraySlice<PictureFile>
        private let store: DocumentStore
        private let state: Mutex<(next: Int, results: [Int: Result<Attachment, any Error>])>

        init(_ files: ArraySlice<PictureFile>, _ store: DocumentStore) {
            self.files = files
            self.store = store
            state = Mutex((files.startIndex, [:]))
        }

        var results: [Int: Result<Attachment, any Error>] { state.withLock { $0.results } }

        /// Stores pictures until all are stored or being stored.
        func work() {
            while true {
                let position = state.withLock { state in
                    state.next += 1
                    return state.next - 1
                }
                guard position < files.endIndex else { return }
                let result = Result { try add(files[position].path) }
                state.withLock { $0.results[position] = result }
            }
        }

        private func add(_ path: String) throws -> Attachment {
            try FileDescriptor.openForReading(path).closeFile()
            return try store.attachments.add(contentsOf: path) { _ in try Interruption.check() }
        }
    }
}
