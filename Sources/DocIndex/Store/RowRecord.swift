/// The stored record of a document: the sequence number of its last change, followed by its body.
struct RowRecord: ~Escapable {
    /// The record.
    let bytes: Span<UInt8>
    /// The offset of the body in the record.
    let bodyStart: Int
    /// The commit that last changed the document.
    let sequence: UInt64
    /// The row in the cache that the record belongs to; `nil` if it was read from the database.
    let cached: CachedRow?

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, bodyStart: Int, sequence: UInt64, cached: CachedRow? = nil) {
        self.bytes = bytes
        self.bodyStart = bodyStart
        self.sequence = sequence
        self.cached = cached
    }

    /// Creates the record in stored bytes; `nil` if they do not begin with a sequence number.
    @_lifetime(copy bytes)
    init?(_ bytes: Span<UInt8>) {
        var offset = 0
        guard let sequence = Varint.read(bytes, &offset) else { return nil }
        self.init(bytes, bodyStart: offset, sequence: sequence)
    }

    /// The encoded body.
    var body: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(bodyStart..<bytes.count) }
    }
}
