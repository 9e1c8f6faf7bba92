/// The member names of the documents of one collection, numbered in the order in which they were first stored.
///
/// A document body holds numbers instead of names, see ``BodyFormat``. So the table belongs to the bodies: they can be
/// read with the table they were written with, or any later one, because names are only ever added. Names are told
/// apart by their UTF-8 bytes. A name that the table does not take is written out in the body.
///
/// A value; copies share their memory until one of them is added to.
public struct FieldNames: Sendable {
    /// The number of names a table may have. It bounds the memory that documents with data for names can cost.
    public static let maximumCount = BodyFormat.inlineName

    /// The length of the longest name that a table takes, in bytes of UTF-8.
    public static let maximumNameByteCount = 255

    private var names: [String] = []
    /// Where free, 0; else number + 1 and above it 16 bits of the hash. Open addressing; the count is a power of two
    /// and at least twice the number of names.
    private var slots: [UInt32] = []
    /// So that nobody can choose names that collide.
    private let hashing = SeededHash()

    /// An empty table.
    public init() {}

    /// The number of names.
    public var count: Int { names.count }

    /// The name of a number; `nil` if the table has not so many.
    ///
    /// - Complexity: O(1).
    public subscript(number: Int) -> String? {
        // One comparison for both ends.
        UInt(bitPattern: number) < UInt(bitPattern: names.count) ? names[number] : nil
    }

    /// The number of a name; `nil` if it is not in the table.
    ///
    /// - Complexity: O(*n*) in the length of the name.
    public func number(of name: String) -> Int? {
        number(of: name.utf8Span.span)
    }

    /// The number of a name, which is added if it is new; `nil` if the table does not take it, because it is full or
    /// the name longer than ``maximumNameByteCount``.
    ///
    /// - Complexity: O(*n*) in the length of the name, amortized.
    @discardableResult
    public mutating func add(_ name: String) -> Int? {
        if let number = number(of: name.utf8Span.span) { return number }
        guard takes(name) else { return nil }
        append(name)
        return names.count - 1
    }

    /// Whether a name that is not in the table would be taken.
    func takes(_ name: String) -> Bool {
        names.count < Self.maximumCount && name.utf8.count <= Self.maximumNameByteCount
    }

    /// Removes what was added last, so that `count` names are left.
    mutating func removeNames(from count: Int) {
        guard count < names.count else { return }
        names.removeSubrange(count...)
        fillSlots(slots.count)
    }
}

// MARK: - Hash table

extension FieldNames {
    private func number(of name: Span<UInt8>) -> Int? {
        guard !slots.isEmpty else { return nil }
        let hash = hashing.hash(name)
        let mask = slots.count &- 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            // The bits of the hash keep other names from being compared.
            if slots[slot] >> 16 == UInt32(truncatingIfNeeded: hash >> 48) {
                let number = Int(slots[slot] & 0xffff) &- 1
                if names[number].utf8Span.span.hasSameBytes(as: name) { return number }
            }
            slot = (slot &+ 1) & mask
        }
        return nil
    }

    private mutating func append(_ name: String) {
        names.append(name)
        if 2 * names.count > slots.count {
            fillSlots(max(64, 2 * slots.count))
        } else {
            insert(names.count - 1)
        }
    }

    private mutating func fillSlots(_ count: Int) {
        slots = Array(repeating: 0, count: count)
        for number in names.indices { insert(number) }
    }

    private mutating func insert(_ number: Int) {
        let hash = hashing.hash(names[number].utf8Span.span)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(truncatingIfNeeded: hash >> 48) << 16 | UInt32(number + 1)
    }
}

// MARK: - On disk

extension FieldNames {
    /// The names from `first` on, as they are stored: a varint count, then for each name a varint length and its UTF-8.
    ///
    /// - Complexity: O(*n*).
    public func encoded(from first: Int = 0) -> [UInt8] {
        let added = names[min(max(first, 0), names.count)...]
        var bytes: [UInt8] = []
        Varint.append(UInt64(added.count), to: &bytes)
        for name in added {
            let utf8 = name.utf8Span.span
            Varint.append(UInt64(utf8.count), to: &bytes)
            bytes.append(contentsOf: utf8)
        }
        return bytes
    }

    /// The table that ``encoded(from:)`` wrote in full.
    ///
    /// - Throws: ``FieldNamesError`` for anything else.
    /// - Complexity: O(*n*).
    public init(encoded: [UInt8]) throws(FieldNamesError) {
        self.init()
        try append(encoded: encoded)
    }

    /// Adds the names that ``encoded(from:)`` wrote from this table's count on.
    ///
    /// - Throws: ``FieldNamesError`` for bytes of another form, a name that occurs twice, and one that no table takes;
    ///   the table is as it was then.
    /// - Complexity: O(*n*).
    public mutating func append(encoded: [UInt8]) throws(FieldNamesError) {
        let oldCount = count
        do throws(FieldNamesError) {
            try appendNames(encoded.span)
        } catch {
            removeNames(from: oldCount)
            throw error
        }
    }

    private mutating func appendNames(_ encoded: Span<UInt8>) throws(FieldNamesError) {
        var offset = 0
        guard let count = Varint.read(encoded, &offset) else { throw FieldNamesError(offset: 0) }
        var position: UInt64 = 0
        while position < count {
            let start = offset
            guard let length = Varint.read(encoded, &offset), length <= UInt64(encoded.count - offset) else {
                throw FieldNamesError(offset: start)
            }
            let end = offset + Int(length)
            guard let utf8 = try? UTF8Span(validating: encoded.extracting(offset..<end)) else {
                throw FieldNamesError(offset: start)
            }
            let name = String(copying: utf8)
            guard takes(name), number(of: name) == nil else { throw FieldNamesError(offset: start) }
            append(name)
            offset = end
            position += 1
        }
        guard offset == encoded.count else { throw FieldNamesError(offset: offset) }
    }
}

/// Bytes are no stored table of names.
public struct FieldNamesError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where the first fault lies, in bytes from the beginning.
    public let offset: Int

    /// What happened and what to do, in one sentence.
    public var description: String {
        "The table of field names is damaged at byte \(offset); verify the database and restore it from a backup."
    }
}

// MARK: - Equality

extension FieldNames: Hashable {
    /// Whether both have the same names under the same numbers, compared by their UTF-8 bytes.
    ///
    /// - Complexity: O(*n*).
    public static func == (left: FieldNames, right: FieldNames) -> Bool {
        left.names.count == right.names.count
            && zip(left.names, right.names).allSatisfy { $0.hasSameBytes(as: $1) }
    }

    /// Feeds the names into `hasher`, in order.
    ///
    /// - Complexity: O(*n*).
    public func hash(into hasher: inout Hasher) {
        for name in names { name.hashBytes(into: &hasher) }
    }
}
