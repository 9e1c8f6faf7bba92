/// A record of a log: operations that were written together (`db/write_batch.cc`).
///
/// It starts with the sequence number of the first operation (8 bytes, little-endian) and the number of operations (4
/// bytes). An operation consists of a kind (1: put, 0: deletion), the key and, for a put, the value. Keys and values
/// are preceded by their length.
package struct BatchRecord: Hashable, Sendable {
    /// An operation.
    package struct Operation: Hashable, Sendable {
        /// The key, with the number and the kind of the operation.
        package let key: InternalKey
        /// The value; empty for a deletion.
        package let value: ArraySlice<UInt8>
    }

    /// The sequence number of the first operation.
    package let sequence: UInt64
    /// The operations, in order.
    package let operations: [Operation]

    /// Decodes a record.
    ///
    /// - Throws: ``FormatError`` with the reason.
    package init(decoding record: [UInt8]) throws(FormatError) {
        var fields = FieldReader(record)
        sequence = try fields.readFixed(UInt64.self)
        let count = try fields.readFixed(UInt32.self)
        // 56 bits, because the remaining bits contain the kind in stored keys.
        guard sequence < 1 << 56 else { throw FormatError("it has a sequence number out of range") }
        var operations: [Operation] = []
        while !fields.isAtEnd {
            let type = try fields.readByte()
            guard let kind = InternalKey.Kind(rawValue: type) else {
                throw FormatError("it has an operation of an unknown kind (\(type))")
            }
            let key = InternalKey(
                userKey: Array(try fields.readBytes()), sequence: sequence + UInt64(operations.count), kind: kind)
            operations.append(Operation(key: key, value: kind == .put ? try fields.readBytes() : []))
        }
        guard operations.count == Int(count) else {
            throw FormatError("it contains \(operations.count) operations, but its header says \(count)")
        }
        self.operations = operations
    }

    /// Returns the number of operations that LevelDB finds in a record, whatever its header says.
    ///
    /// It stops at the first malformed one. Of a length it ignores the bits above 32 (`util/coding.cc`,
    /// `GetVarint32PtrFallback`), which ``init(decoding:)`` does not accept.
    static func operationCount(of record: [UInt8]) -> Int {
        var position = 12
        var count = 0
        func skipBytes() -> Bool {
            var length: UInt32 = 0
            for shift in stride(from: 0, through: 28, by: 7) {
                guard position < record.count else { return false }
                let byte = record[position]
                position += 1
                length |= UInt32(byte & 0x7f) << shift
                guard byte & 0x80 == 0 else { continue }
                position += Int(length)
                return position <= record.count
            }
            return false
        }
        while position < record.count {
            let kind = record[position]
            position += 1
            guard kind <= 1, skipBytes(), kind == 0 || skipBytes() else { break }
            count += 1
        }
        return count
    }

    /// Returns the number of operations according to the header of a record; 0 if it has none.
    static func statedCount(of record: [UInt8]) -> UInt32 {
        var fields = FieldReader(record)
        _ = try? fields.readFixed(UInt64.self)
        return (try? fields.readFixed(UInt32.self)) ?? 0
    }
}
