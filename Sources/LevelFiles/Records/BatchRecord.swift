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

    /// Returns the number of operations in a record before the first malformed one, whatever its header says.
    static func operationCount(of record: [UInt8]) -> Int {
        var count = 0
        var fields = FieldReader(record)
        do throws(FormatError) {
            _ = try fields.readFixed(UInt64.self)
            _ = try fields.readFixed(UInt32.self)
            while !fields.isAtEnd, let kind = InternalKey.Kind(rawValue: try fields.readByte()) {
                _ = try fields.readBytes()
                if kind == .put { _ = try fields.readBytes() }
                count += 1
            }
        } catch {
            // The malformed operation is not counted.
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
