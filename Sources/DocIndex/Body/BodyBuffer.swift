/// A growing buffer of bytes that is filled from its end: what comes first is written last.
///
/// Lengths and offsets stand before what they measure. Written backwards, each is known when its turn comes, so a body
/// takes one pass and nothing in it is ever moved.
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

    /// Writes a byte before the others.
    @inline(__always)
    mutating func prepend(_ byte: UInt8) {
        if count == capacity { grow(by: 1) }
        count &+= 1
        // In bounds: there is room for one more.
        unsafe base[capacity &- count] = byte
    }

    /// Writes bytes before the others.
    @inline(__always)
    mutating func prepend(_ bytes: Span<UInt8>) {
        if bytes.count > capacity &- count { grow(by: bytes.count) }
        count &+= bytes.count
        let place = unsafe base + (capacity &- count)
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            // In bounds: there is room for so many more.
            unsafe place.initialize(from: start, count: source.count)
        }
    }

    /// Writes the lowest `byteCount` bytes of an integer, little-endian, before the others.
    @inline(__always)
    mutating func prepend(_ value: UInt64, byteCount: Int) {
        var shift = UInt64(byteCount) &* 8
        while shift > 0 {
            shift &-= 8
            prepend(UInt8(truncatingIfNeeded: value &>> shift))
        }
    }

    /// Writes a varint before the others; see ``BodyFormat``.
    @inline(__always)
    mutating func prependVarint(_ value: UInt64) {
        if value < 0x80 { return prepend(UInt8(truncatingIfNeeded: value)) }
        // Seven bits a byte, the last one first.
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

    /// Appends a copy of the bytes to others.
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
