internal import CSnappy

/// The compression of a block: the byte before its checksum. Stored on disk, never change.
package enum Compression: Hashable, Sendable {
    case none
    case snappy
    /// zlib with its header: Minecraft's LevelDB (`kZlibCompression`).
    case zlib
    /// zlib without a header: Minecraft's LevelDB (`kZlibRawCompression`).
    case rawZlib
    /// Zstandard: LevelDB after 1.23. It has the same number as zlib in Minecraft's LevelDB.
    case zstandard
    /// A number that no known version of LevelDB assigns.
    case unknown(UInt8)

    /// Determines the compression from its number and from the stored bytes, which distinguish zlib from Zstandard.
    package init(type: UInt8, stored: ArraySlice<UInt8>) {
        switch type {
        case 0: self = .none
        case 1: self = .snappy
        case 2: self = stored.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) ? .zstandard : .zlib
        case 4: self = .rawZlib
        default: self = .unknown(type)
        }
    }

    /// The name of the compression.
    package var name: String {
        switch self {
        case .none: "none"
        case .snappy: "snappy"
        case .zlib: "zlib"
        case .rawZlib: "raw zlib"
        case .zstandard: "zstd"
        case .unknown(let type): "type \(type)"
        }
    }

    /// The reason that such blocks are unsupported, as a clause, or `nil` if they are supported.
    package var refusal: String? {
        switch self {
        case .none, .snappy: nil
        case .zlib, .rawZlib:
            "its block is compressed with \(name), as Minecraft's own LevelDB does; "
                + "read it with a tool for Minecraft worlds, such as amulet-leveldb"
        case .zstandard: "its block is compressed with zstd, which LevelDB 1.23 cannot read; use a later LevelDB"
        case .unknown(let type): "its block has a compression that no known LevelDB supports (type \(type))"
        }
    }

    /// Decompresses the content of a block.
    ///
    /// - Throws: ``FormatError`` for invalid bytes and unsupported compressions.
    package func unpack(_ stored: [UInt8]) throws(FormatError) -> [UInt8] {
        switch self {
        case .none: return stored
        case .snappy: return try Self.unpackSnappy(stored)
        case .zlib, .rawZlib, .zstandard, .unknown: throw FormatError(refusal ?? "")
        }
    }

    private static func unpackSnappy(_ stored: [UInt8]) throws(FormatError) -> [UInt8] {
        var header = FieldReader(stored)
        // Snappy produces at most 64 bytes from three. A larger claim is corrupt, and no memory is allocated for it.
        guard let promised = try? header.readVarint32(), promised <= stored.count * 22 + 64 else {
            throw FormatError("its block is not valid Snappy data")
        }
        var isSound = false
        // A capacity of at least one byte, because all empty arrays share their storage, and filling it would write to
        // it.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(1, Int(promised))) { output, count in
            unsafe stored.withUnsafeBytes { input in
                var byteCount = output.count
                // The C function does not accept null, which an empty array may return.
                var nothing: CChar = 0
                unsafe withUnsafeMutablePointer(to: &nothing) { nothing in
                    let target = unsafe UnsafeMutableRawPointer(output.baseAddress)?
                        .assumingMemoryBound(to: CChar.self)
                    let source = unsafe input.baseAddress?.assumingMemoryBound(to: CChar.self)
                    isSound =
                        unsafe snappy_uncompress(
                            source ?? UnsafePointer(nothing), input.count, target ?? nothing, &byteCount)
                        == SNAPPY_OK
                }
                count = isSound ? min(byteCount, output.count) : 0
            }
        }
        guard isSound, bytes.count == Int(promised) else { throw FormatError("its block is not valid Snappy data") }
        return bytes
    }
}
