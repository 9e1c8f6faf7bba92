extension VersionEdit {
    /// Creates an edit that turns an empty version into a given one.
    package init(_ version: Version) {
        self.init()
        comparatorName = version.comparatorName
        logNumber = version.logNumber
        previousLogNumber = version.previousLogNumber
        nextFileNumber = version.nextFileNumber
        lastSequence = version.lastSequence
        newTables = version.tables
    }

    /// The record of this edit; see ``init(decoding:)``.
    package var encoded: [UInt8] {
        var writer = EditWriter()
        if let comparatorName { writer.put(.comparator, Array(comparatorName.utf8)) }
        for (tag, number) in [
            (Tag.logNumber, logNumber), (.previousLogNumber, previousLogNumber), (.nextFileNumber, nextFileNumber),
            (.lastSequence, lastSequence),
        ] {
            if let number { writer.put(tag, number) }
        }
        for pointer in compactPointers {
            writer.put(.compactPointer, UInt64(pointer.level))
            writer.put(pointer.key)
        }
        for table in deletedTables {
            writer.put(.deletedTable, UInt64(table.level))
            writer.put(table.number)
        }
        for table in newTables {
            writer.put(.newTable, UInt64(table.level))
            writer.put(table.number)
            writer.put(table.byteCount)
            writer.put(table.smallest)
            writer.put(table.largest)
        }
        return writer.bytes
    }
}

/// Appends the values of fields; see ``FieldReader``.
private struct EditWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ tag: VersionEdit.Tag, _ number: UInt64) {
        put(UInt64(tag.rawValue))
        put(number)
    }

    mutating func put(_ tag: VersionEdit.Tag, _ value: [UInt8]) {
        put(UInt64(tag.rawValue))
        put(value)
    }

    mutating func put(_ number: UInt64) {
        Varint.append(number, to: &bytes)
    }

    mutating func put(_ key: InternalKey) { put(key.encoded) }

    private mutating func put(_ value: [UInt8]) {
        put(UInt64(value.count))
        bytes += value
    }
}
