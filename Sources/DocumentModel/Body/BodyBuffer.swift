/// A growing byte buffer that is filled backwards, from its end.
///
/// Lengths and offsets precede the data they measure. When the data is written backwards, they are known in time, so a
/// body takes one pass and no bytes are moved.
@safe
struct BodyBuffer: ~Copyable {
    // Invariant: the last `count` of the `capacity` bytes are initialized.
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// The number of bytes written.
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        unsafe base = .allocate(capacity: self.capacity)
    }

    deinit {
        unsafe base.deallocate()
    }

    /// Prepends a byte.
    @inline(__always)
    mutating func prepend(_ byte: UInt8) {
        if count == capacity { grow(by: 1) }
        count &+= 1
        // In bounds: there is room for one more.
        unsafe base[capacity &- count] = byte
    }

    /// Prepends bytes.
    @inline(__always)
    mutating func prepend(_ bytes: Span<UInt8>) {
        if bytes.count > capacity &- count { grow(by: bytes.count) }
        count &+= bytes.count
        let place = unsafe base + (capacity &- count)
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            // In bounds: there is room for this many bytes.
            unsafe place.initialize(from: start, count: source.count)
        }
    }

    /// Prepends the lowest `byteCount` bytes of an integer, little-endian.
    @inline(__always)
    mutating func prepend(_ value: UInt64, byteCount: Int) {
        var shift = UInt64(byteCount) &* 8
        while shift > 0 {
            shift &-= 8
            prepend(UInt8(truncatingIfNeeded: value &>> shift))
        }
    }

    /// Prepends a varint; see ``BodyFormat``.
    @inline(__always)
    mutating func prependVarint(_ value: UInt64) {
        if value < 0x80 { return prepend(UInt8(truncatingIfNeeded: value)) }
        // Seven bits per byte, last byte first.
        var shift = (UInt64(63 &- value.leadingZeroBitCount) / 7) &* 7
        prepend(UInt8(truncatingIfNeeded: value &>> shift))
        while shift > 0 {
            shift &-= 7
            prepend(UInt8(truncatingIfNeeded: value &>> shift) | 0x80)
        }
    }

    /// A copy of the bytes.
    var bytes: [UInt8] {
        unsafe Array(unsafeUninitializedCapacity: count) { buffer, initializedCount in
            guard let start = buffer.baseAddress else { return }
            unsafe start.initialize(from: base + (capacity - count), count: count)
            initializedCount = count
        }
    }

    /// Appends a copy of the bytes to `bytes`.
    func append(to bytes: inout [UInt8]) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: base + (capacity - count), count: count))
    }

    private mutating func grow(by additional: Int) {
        let larger = max(2 * capacity, count + additional)
        let new = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        unsafe (new + (larger - count)).initialize(from: base + (capacity - count), count: count)
        unsafe base.deallocate()
        unsafe base = new
        capacity = larger
    }
}
