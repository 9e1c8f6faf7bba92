/// Writes records in LevelDB's log format; see ``RecordReader``.
package struct RecordWriter {
    /// The content of the file so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty file.
    package init() {}

    /// Appends a record.
    package mutating func append(_ record: [UInt8]) {
        var rest = record[...]
        var isFirst = true
        repeat {
            let room = RecordReader.blockByteCount - bytes.count % RecordReader.blockByteCount
            guard room >= RecordReader.headerByteCount else {
                bytes.append(contentsOf: repeatElement(0, count: room))
                continue
            }
            let payload = rest.prefix(room - RecordReader.headerByteCount)
            rest = rest.dropFirst(payload.count)
            let type: UInt8 =
                switch (isFirst, rest.isEmpty) {
                case (true, true): 1
                case (true, false): 2
                case (false, false): 3
                case (false, true): 4
                }
            append(payload, type: type)
            isFirst = false
        } while !rest.isEmpty || isFirst
    }

    private mutating func append(_ payload: ArraySlice<UInt8>, type: UInt8) {
        let crc = CRC32C.masked(CRC32C.checksum(of: [type] + payload))
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: crc >> UInt32(shift))) }
        bytes.append(UInt8(truncatingIfNeeded: payload.count))
        bytes.append(UInt8(truncatingIfNeeded: payload.count >> 8))
        bytes.append(type)
        bytes += payload
    }
}
