package import LevelFiles

/// Ways to forge blocks of a table, with valid checksums, so as to crash the process that reads them.
package enum TableForgery: String, CaseIterable, Sendable {
    case shortKeyInIndex, shortKeyInData, lengthsThatOverflow, restartWithinKey, snappyOfFourGibibytes, handleBeyondFile
    /// LevelDB treats the block as empty, or as one that starts later.
    case noRestarts, lateRestart
    /// The index names a block twice.
    case repeatedBlock

    /// Forges a block of the largest table of a database.
    ///
    /// - Parameter position: The index of the data block, if a data block is forged.
    package func apply(to database: String, block position: Int = 0) throws {
        let path = try largestTable(in: database)
        let table = try Table(at: path)
        let index = try table.index()
        let forgery = BlockForgery(path)
        let data = index[min(position, index.count - 1)].handle
        switch self {
        case .shortKeyInIndex: try forgery.replace(table.footer.index, Self.shortenKey)
        case .shortKeyInData: try forgery.replace(data, Self.shortenKey)
        case .lengthsThatOverflow:
            try forgery.replace(data) { $0.replaceSubrange(0..<7, with: [0, 0xff, 0xff, 0xff, 0xff, 0x0f, 2]) }
        case .restartWithinKey:
            // The restart array follows the entries: offsets starting with zero, then their count.
            try forgery.replace(data) { block in
                let count = Int(block[block.count - 4])
                block[block.count - 4 - 4 * count] = 3
            }
        case .snappyOfFourGibibytes:
            try forgery.replace(data, type: 1) {
                $0.replaceSubrange(0..<5, with: [0xff, 0xff, 0xff, 0xff, 0x0f])
            }
        case .noRestarts: try forgery.replace(data) { $0.replaceSubrange($0.count - 4..<$0.count, with: [0, 0, 0, 0]) }
        case .lateRestart:
            try forgery.replace(data) { block in
                let restarts = block.count - 4 - 4 * Int(block[block.count - 4])
                block.replaceSubrange(restarts..<restarts + 4, with: block[restarts + 4..<restarts + 8])
            }
        case .repeatedBlock:
            // The first offset has fewer digits than the others.
            let position = max(1, position)
            let name = Self.handle(index[position + 1].handle)
            let repeated = Self.handle(index[position].handle)
            try forgery.replace(table.footer.index) { block in
                let place = block.firstRange(of: name)!
                block.replaceSubrange(place, with: repeated)
            }
        case .handleBeyondFile:
            try forgery.replace(table.footer.index) { block in
                // All but eight bytes of the first key become part of the value: offset 0, and a length of 35 bits.
                let cut = block[1] - 8
                block[1] -= cut
                block[2] += cut
                block.replaceSubrange(11..<17, with: [0, 0xff, 0xff, 0xff, 0xff, 0x7f])
            }
        }
    }

    /// Appends an index to a table file, and a footer that names it.
    ///
    /// - Parameter entries: the entries of the index, each with the number of bytes shared with the previous key.
    package static func appendIndex(
        _ entries: [(shared: Int, key: [UInt8], handle: BlockHandle)], toTableAt path: String
    ) throws {
        let table = try Table(at: path)
        var block: [UInt8] = []
        for (shared, key, handle) in entries {
            let value = Self.handle(handle)
            for length in [shared, key.count, value.count] { Varint.append(UInt64(length), to: &block) }
            block += key + value
        }
        // A single restart point, at the first entry.
        block += [0, 0, 0, 0, 1, 0, 0, 0]
        var bytes = Array(try TestFiles.bytes(of: path).dropLast(Footer.byteCount))
        let index = BlockHandle(offset: UInt64(bytes.count), byteCount: UInt64(block.count))
        let checksum = CRC32C.masked(CRC32C.checksum(of: block + [0]))
        bytes += block + [0] + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> UInt32(8 * $0)) }
        let handles = Self.handle(table.footer.metaIndex) + Self.handle(index)
        bytes += handles + Array(repeating: 0, count: Footer.byteCount - Footer.magic.count - handles.count)
        try TestFiles.write(bytes + Footer.magic, to: path)
    }

    private static func handle(_ handle: BlockHandle) -> [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(handle.offset, to: &bytes)
        Varint.append(handle.byteCount, to: &bytes)
        return bytes
    }

    /// Overwrites some bytes of a data block or of the index of the largest table of a database with random ones, and
    /// sometimes the compression type of the block. The checksum stays valid.
    ///
    /// - Returns: what was overwritten, for messages.
    package static func overwriteBytes(in database: String, using random: inout SplitMix64) throws -> String {
        let path = try largestTable(in: database)
        let table = try Table(at: path)
        let isIndex = random.once(in: 4)
        let handle = try isIndex ? table.footer.index : random.pick(table.index().map(\.handle))
        let type: UInt8? = random.once(in: 6) ? random.pick([0, 1, 2, 4, 7] as [UInt8]) : nil
        let count = 1 + random.number(below: 4)
        try BlockForgery(path).replace(handle, type: type) { block in
            for _ in 0..<count {
                // The lengths of the first entry, and the restart points at the end, decide how the rest is read.
                let place =
                    switch random.number(below: 3) {
                    case 0: random.number(below: min(block.count, 40))
                    case 1: block.count - 1 - random.number(below: min(block.count, 40))
                    default: random.number(below: block.count)
                    }
                let extremes: [UInt8] = [0, 1, 0x7f, 0x80, 0xff]
                block[place] = random.once(in: 2) ? random.pick(extremes) : UInt8(random.number(below: 256))
            }
        }
        let compression = type.map { " and the type (\($0))" } ?? ""
        return "\(count) bytes\(compression) of the \(isIndex ? "index" : "block") at byte \(handle.offset)"
    }

    /// Makes the first key of a block larger than those after it.
    package static func disorder(block position: Int, in database: String) throws {
        let path = try largestTable(in: database)
        let handle = try Table(at: path).index()[position].handle
        try BlockForgery(path).replace(handle) { $0[3] = 0xff }
    }

    /// Gives the first key of a block another kind and sequence number, in the form in which LevelDB stores both.
    package static func setNumber(_ number: UInt64, block position: Int, in database: String) throws {
        let path = try largestTable(in: database)
        let handle = try Table(at: path).index()[position].handle
        try BlockForgery(path).replace(handle) { block in
            // The key follows three lengths of one byte.
            let end = 3 + Int(block[1])
            for index in 0..<8 { block[end - 8 + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index)) }
        }
    }

    /// Changes the compression type of a block.
    package static func setCompression(_ type: UInt8, ofBlock position: Int, in database: String) throws {
        let path = try largestTable(in: database)
        let handle = try Table(at: path).index()[position].handle
        try BlockForgery(path).replace(handle, type: type) { _ in }
    }

    private func largestTable(in database: String) throws -> String { try Self.largestTable(in: database) }

    private static func largestTable(in database: String) throws -> String {
        let tables = try TestFiles.names(in: database).filter { $0.hasSuffix(".ldb") }.map { database + "/" + $0 }
        return try tables.max { try TestFiles.byteCount(of: $0) < TestFiles.byteCount(of: $1) }!
    }

    /// Shortens the first key; the bytes cut off become part of the value.
    private static func shortenKey(_ block: inout [UInt8]) {
        let cut = block[1] - 4
        block[1] = 4
        block[2] += cut
    }
}
