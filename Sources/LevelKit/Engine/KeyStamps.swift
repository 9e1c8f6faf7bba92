internal import Synchronization

/// Records approximately which write last changed a key, so that a view can read the newest state if the key has not
/// changed since.
///
/// A table of fixed size. The hash of a key selects a slot, which contains the number of the last write to any key with
/// that hash. If two keys share a slot, an unchanged key may look changed. That costs a seek but never gives a wrong
/// result.
@safe final class KeyStamps: @unchecked Sendable {
    private static let slotCount = 1 << 16

    // Unchecked: every slot is atomic.
    private let slots: UnsafeMutablePointer<Atomic<UInt64>>

    init() {
        unsafe slots = .allocate(capacity: Self.slotCount)
        for index in 0..<Self.slotCount { unsafe (slots + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe slots.deinitialize(count: Self.slotCount)
        unsafe slots.deallocate()
    }

    /// Records that a write changes a key. Called before LevelDB writes.
    func mark(_ key: Span<UInt8>, write: UInt64) {
        unsafe slots[Self.slot(of: key)].store(write, ordering: .releasing)
    }

    /// Returns whether no write after the one with this number has changed a key. Called after the value was read.
    func isUnchanged(_ key: Span<UInt8>, since write: UInt64) -> Bool {
        unsafe slots[Self.slot(of: key)].load(ordering: .acquiring) <= write
    }

    private static func slot(of key: Span<UInt8>) -> Int {
        unsafe key.withUnsafeBytes { unsafe slot(of: $0) }
    }

    private static func slot(of bytes: UnsafeRawBufferPointer) -> Int {
        let multiplier: UInt64 = 0x9e37_79b9_7f4a_7c15
        var hash = UInt64(bytes.count) &* multiplier
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = unsafe (hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* multiplier
            hash ^= hash >> 29
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(unsafe bytes[offset])
            offset += 1
        }
        hash = (hash ^ rest) &* multiplier
        return Int(truncatingIfNeeded: hash >> 48) & (slotCount - 1)
    }
}
