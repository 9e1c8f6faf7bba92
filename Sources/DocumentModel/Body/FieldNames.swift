/// The member names of the documents of a collection, numbered in the order in which they were first stored.
///
/// A document body contains numbers instead of names. Bodies can be read with the table that they
/// were written with, or any later one, because names are only ever added. Names are compared by their UTF-8 bytes. A
/// name that the table does not accept is inlined in the body.
///
/// The table is a value type; copies share memory until one of them is changed.
package struct FieldNames: Sendable {
    /// The maximum number of names in a table. It limits the memory used if documents use data as member names.
    package static let maximumCount = BodyFormat.inlineName

    /// The maximum length of a name in the table, in UTF-8 bytes.
    package static let maximumNameByteCount = 255

    private var names: [String] = []
    /// A hash table with open addressing. A free slot is 0; otherwise, the lower 16 bits are number + 1, and the upper
    /// 16 bits are from the hash. The count is a power of two and at least twice the number of names.
    private var slots: [UInt32] = []
    /// Seeded, so that crafted names cannot cause collisions.
    private let hashing = SeededHash()

    /// Creates an empty table.
    package init() {}

    /// The number of names.
    package var count: Int { names.count }

    /// The name with a number; `nil` if the number is out of range.
    ///
    /// - Complexity: O(1).
    package subscript(number: Int) -> String? {
        // One comparison checks both bounds.
        UInt(bitPattern: number) < UInt(bitPattern: names.count) ? names[number] : nil
    }

    /// Returns the number of a name; `nil` if it is not in the table.
    ///
    /// - Complexity: O(*n*) in the length of the name.
    package func number(of name: String) -> Int? {
        number(of: name.utf8Span.span)
    }

    /// Adds a name if it is new, and returns its number; `nil` if the table does not accept it, because the table is
    /// full or the name is longer than ``maximumNameByteCount``.
    ///
    /// - Complexity: O(*n*) in the length of the name, amortized.
    @discardableResult
    package mutating func add(_ name: String) -> Int? {
        if let number = number(of: name.utf8Span.span) { return number }
        guard takes(name) else { return nil }
        append(name)
        return names.count - 1
    }

    /// Returns whether the table would accept a name that it does not contain.
    package func takes(_ name: String) -> Bool {
        names.count < Self.maximumCount && name.utf8.count <= Self.maximumNameByteCount
    }

    /// Removes the most recent names, so that `count` names remain.
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
            // The hash bits avoid comparing most other names.
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
    /// Returns the names from `first` on in stored form: a varint count, then a varint length and UTF-8 for each name.
    ///
    /// - Complexity: O(*n*).
    package func encoded(from first: Int = 0) -> [UInt8] {
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

    /// Creates the table that ``encoded(from:)`` encoded in full.
    ///
    /// - Throws: ``FieldNamesError`` for any other bytes.
    /// - Complexity: O(*n*).
    package init(encoded: [UInt8]) throws(FieldNamesError) {
        self.init()
        try append(encoded: encoded)
    }

    /// Appends names that ``encoded(from:)`` encoded, starting at this table's count.
    ///
    /// - Throws: ``FieldNamesError`` for malformed bytes, a duplicate name, or a name that the table does not accept.
    ///   The table is unchanged then.
    /// - Complexity: O(*n*).
    package mutating func append(encoded: [UInt8]) throws(FieldNamesError) {
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

/// An error that reports a malformed table of names.
package struct FieldNamesError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The offset of the first error, in bytes from the start.
    package let offset: Int

    /// What is wrong and what to do, in one sentence.
    package var description: String {
        "The table of field names is damaged at byte \(offset); verify the database and restore it from a backup."
    }
}

// MARK: - Equality

extension FieldNames: Hashable {
    /// Whether both have the same names under the same numbers, compared by their UTF-8 bytes.
    ///
    /// - Complexity: O(*n*).
    package static func == (left: FieldNames, right: FieldNames) -> Bool {
        left.names.count == right.names.count
            && zip(left.names, right.names).allSatisfy { $0.hasSameBytes(as: $1) }
    }

    /// Feeds the names into `hasher`, in order.
    ///
    /// - Complexity: O(*n*).
    package func hash(into hasher: inout Hasher) {
        for name in names { name.hashBytes(into: &hasher) }
    }
}
