/// The iterator of a cursor: either an iterator of LevelDB, or one over the entries of a view.
///
/// Reading at an invalid position aborts the process, so every reader checks ``isValid`` first.
@safe struct EntryIterator {
    /// An iterator of LevelDB, which the cursor's ``LiveCursor`` destroys.
    private let direct: EngineIterator?
    // Retained manually: two automatic reference counts would take longer than a step of a scan.
    private let buffered: Unmanaged<BufferedIterator>?

    init(_ iterator: EngineIterator) {
        direct = iterator
        unsafe buffered = nil
    }

    init(_ iterator: BufferedIterator) {
        direct = nil
        unsafe buffered = Unmanaged.passRetained(iterator)
    }

    /// Releases an iterator over a view.
    func end() { unsafe buffered?.release() }

    @inline(__always)
    private var view: BufferedIterator { unsafe buffered!._withUnsafeGuaranteedRef { $0 } }

    @inline(__always)
    var isValid: Bool { if let direct { direct.isValid } else { view.isValid } }

    @inline(__always)
    var hasFailed: Bool { if let direct { direct.hasFailed } else { view.hasFailed } }

    var error: String? { if let direct { direct.error } else { view.error } }

    @inline(__always)
    var key: UnsafeBufferPointer<UInt8> { if let direct { unsafe direct.key } else { unsafe view.key } }

    @inline(__always)
    var value: UnsafeBufferPointer<UInt8> { if let direct { unsafe direct.value } else { unsafe view.value } }

    func seekToFirst() { if let direct { direct.seekToFirst() } else { view.seekToFirst() } }

    func seekToLast() { if let direct { direct.seekToLast() } else { view.seekToLast() } }

    func seek(_ key: Span<UInt8>) { if let direct { direct.seek(key) } else { view.seek(key) } }

    @inline(__always)
    func next() { if let direct { direct.next() } else { view.next() } }

    @inline(__always)
    func previous() { if let direct { direct.previous() } else { view.previous() } }
}
