import DocIndex
import LevelKit
import Renditions

/// Makes the renditions of some pictures at a time, so that the command can be interrupted between them.
struct RenditionBatches: Sendable {
    /// The number of pictures in a batch.
    static let pictureCount = 8

    /// The counts so far.
    struct Summary: Sendable {
        var madeCount = 0
        var presentCount = 0
        var failedCount = 0
        /// Attached files that are not pictures.
        var otherCount = 0
        /// The renditions that were made.
        fileprivate(set) var made: [(original: Attachment, size: RenditionSpecification)] = []

        /// `12 made, 3 already stored, 1 cannot be rendered`.
        var text: String {
            var parts = ["\(HumanNumber.grouped(madeCount)) made"]
            if presentCount > 0 { parts.append("\(HumanNumber.grouped(presentCount)) already stored") }
            if failedCount > 0 { parts.append("\(HumanNumber.grouped(failedCount)) cannot be made") }
            if otherCount > 0 {
                let verb = otherCount == 1 ? "is not a picture" : "are not pictures"
                parts.append("\(AttachedFile.count(otherCount)) \(verb)")
            }
            return parts.joined(separator: ", ")
        }
    }

    private enum Outcome: Sendable {
        case made, present, other
        /// Made, but the directory cannot be written.
        case lost
        case failed(RenditionError)
    }

    private let renditions: RenditionStore
    private let sizes: [RenditionSpecification]
    /// The directory, for messages.
    private let directory: String

    /// - Parameter diskByteCount: the maximum size of all renditions of a small size on the disk; `nil` for the usual
    ///   limit.
    init(of store: DocumentStore, _ sizes: [RenditionSpecification], diskByteCount: Int64? = nil) {
        var options = RenditionStore.Options()
        options.smallDiskByteCount = diskByteCount ?? options.smallDiskByteCount
        // Nothing is shown.
        options.smallMemoryByteCount = 0
        options.largeMemoryByteCount = 0
        renditions = RenditionStore(of: store, specifications: sizes, options: options)
        self.sizes = sizes
        directory = store.path + "/" + DerivedDirectory.name
    }

    /// The number of renditions that were deleted because of the limits on the disk.
    struct Evictions: Sendable, Equatable {
        /// Those that these batches made.
        var ownCount = 0
        /// Those that were stored before.
        var earlierCount = 0
    }

    /// Counts the renditions that were deleted because of the limits on the disk.
    func evictions(_ summary: Summary) -> Evictions {
        let count = renditions.evictedCount
        guard count > 0 else { return Evictions() }
        let ownCount = min(count, summary.made.count { !renditions.isStored($0.original, as: $0.size) })
        return Evictions(ownCount: ownCount, earlierCount: count - ownCount)
    }

    /// Deletes the renditions of all other pictures, and returns how many there were.
    func removeAll(except originals: [Attachment]) -> Int {
        renditions.removeAll(except: Set(originals.map(\.digest)))
    }

    /// Closes the directory, so that the next command can open it.
    func close() { renditions.close() }

    /// Makes the missing renditions of pictures.
    ///
    /// - Returns: a row for each one that cannot be made.
    /// - Throws: `CancellationError` after ^C; ``CommandError`` if the directory cannot be written.
    func make(_ originals: [Attachment], _ summary: inout Summary) throws -> [DocumentObject] {
        let found = try CommandTask.wait { try await outcomes(originals) }
        var rows: [DocumentObject] = []
        for (original, results) in zip(originals, found) {
            for (size, outcome) in zip(sizes, results) {
                switch outcome {
                case .made:
                    summary.madeCount += 1
                    summary.made.append((original, size))
                case .present: summary.presentCount += 1
                case .lost: throw RenditionsCommand.unwritable(directory)
                case .other: if size == sizes.first { summary.otherCount += 1 }
                case .failed(let fault):
                    summary.failedCount += 1
                    rows.append(Self.row(original, size, fault))
                }
            }
        }
        return rows
    }

    private func outcomes(_ originals: [Attachment]) async throws -> [[Outcome]] {
        try await withThrowingTaskGroup(of: (Int, [Outcome]).self) { group in
            for (index, original) in originals.enumerated() {
                group.addTask { (index, try await outcomes(original)) }
            }
            var found = [[Outcome]](repeating: [], count: originals.count)
            for try await (index, outcomes) in group { found[index] = outcomes }
            return found
        }
    }

    private func outcomes(_ original: Attachment) async throws -> [Outcome] {
        var outcomes: [Outcome] = []
        for size in sizes {
            if renditions.isStored(original, as: size) {
                outcomes.append(.present)
                continue
            }
            do {
                _ = try await renditions.rendition(of: original, as: size)
                outcomes.append(renditions.isStored(original, as: size) ? .made : .lost)
            } catch let fault as RenditionError {
                outcomes.append(fault.code == .unknownFormat ? .other : .failed(fault))
            }
        }
        return outcomes
    }

    private static func row(
        _ original: Attachment, _ size: RenditionSpecification, _ fault: RenditionError
    ) -> DocumentObject {
        var row: DocumentObject = ["sha256": .string(original.digest.description)]
        if let name = original.name { row["name"] = .string(name) }
        row["size"] = .string(size.name)
        row["reason"] = .string(fault.code.rawValue)
        row["message"] = .string(fault.message)
        return row
    }
}
