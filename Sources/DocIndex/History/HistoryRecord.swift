#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The record of one change in the history, under the key `H commit collection row`: when the document changed, and its
/// form before the change.
///
/// The former form is a copy of the document's record, which starts with the number of the commit that wrote it. That
/// number leads to the record of the previous change, so the records of a document are a linked list. Old bodies stay
/// readable because member names are only ever added.
struct HistoryRecord: Sendable, Hashable {
    /// A change of a document: the commit, and the row that it wrote or deleted.
    struct Link: Sendable, Hashable {
        let sequence: UInt64
        let row: UInt64

        func key(_ collection: UInt32) -> [UInt8] { StoreKey.history(sequence, collection: collection, row: row) }
    }

    /// The form of a document before a change.
    enum Former: Sendable, Hashable {
        /// The bytes from `start` on are the record that was stored under `D`, written by the commit `sequence`.
        case stored(sequence: UInt64, start: Int)
        /// There was no document with that ID. It had been deleted by the change `deletion`, unless that is `nil`.
        case absent(deletion: Link?, id: DocumentID)
        /// A damaged record was here. A rebuild writes this mark.
        case unknown
    }

    /// Milliseconds since 1970.
    let time: UInt64
    /// The number of changes in the history that the commit made.
    let changeCount: Int
    let former: Former

    /// Decodes a record; `nil` for malformed bytes.
    init?(_ bytes: Span<UInt8>) {
        var offset = 0
        guard let time = Varint.read(bytes, &offset), time <= Self.lastTime,
            let count = Varint.read(bytes, &offset), let count = Int(exactly: count), count > 0
        else { return nil }
        self.time = time
        changeCount = count
        let start = offset
        if start == bytes.count {
            former = .unknown
            return
        }
        guard let sequence = Varint.read(bytes, &offset) else { return nil }
        if sequence > 0 {
            guard offset < bytes.count else { return nil }
            former = .stored(sequence: sequence, start: start)
            return
        }
        guard let deletion = Varint.read(bytes, &offset), let row = Varint.read(bytes, &offset),
            let id = DocumentID(encoded: bytes.extracting(offset..<bytes.count)), (deletion == 0) == (row == 0)
        else { return nil }
        former = .absent(deletion: deletion == 0 ? nil : Link(sequence: deletion, row: row), id: id)
    }

    /// The largest valid time, in the year 10,889.
    private static let lastTime: UInt64 = 1 << 48

    /// Returns the encoded form of an absent document, which follows ``head(time:changeCount:)``.
    static func absent(_ id: DocumentID, deletion: Link?) -> [UInt8] {
        var bytes: [UInt8] = [0]
        Varint.append(deletion?.sequence ?? 0, to: &bytes)
        Varint.append(deletion?.row ?? 0, to: &bytes)
        id.append(to: &bytes)
        return bytes
    }

    /// Returns the first part of the records of a commit. The former record or ``absent(_:deletion:)`` follows, or
    /// nothing for an unknown form.
    static func head(time: UInt64, changeCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(min(time, lastTime), to: &bytes)
        Varint.append(UInt64(changeCount), to: &bytes)
        return bytes
    }

    /// Returns the previous change of the document; `nil` if there was none or it is unknown.
    func previous(row: UInt64) -> Link? {
        switch former {
        case .stored(let sequence, _): Link(sequence: sequence, row: row)
        case .absent(let deletion, _): deletion
        case .unknown: nil
        }
    }

    /// The time as a date.
    var date: Date { Date(timeIntervalSince1970: Double(time) / 1000) }
}

extension Catalog.History {
    /// The time before which changes are no longer kept, in milliseconds since 1970.
    var oldestTime: UInt64 {
        guard let age = bounds.age else { return 0 }
        let now = StoreClock.now
        return now - min(now, UInt64(max(0, age.seconds)) * 1000)
    }
}
