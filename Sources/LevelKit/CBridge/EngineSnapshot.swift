import CLevelDB

/// LevelDB's snapshot and the read options that read from it.
///
/// The read options keep the raw pointer of the snapshot, so both live and die together.
@safe struct EngineSnapshot: @unchecked Sendable {
    // Unchecked: a snapshot is a sequence number that never changes.
    let handle: OpaquePointer
    let reading: OpaquePointer
    let scanning: OpaquePointer

    init(handle: OpaquePointer, verifiesChecksums: Bool) {
        unsafe self.handle = handle
        unsafe reading = EngineOptions.makeReadOptions(
            verifiesChecksums: verifiesChecksums, fillsCache: true, snapshot: handle)
        unsafe scanning = EngineOptions.makeReadOptions(
            verifiesChecksums: verifiesChecksums, fillsCache: false, snapshot: handle)
    }

    /// The corresponding C function is `leveldb_readoptions_destroy`.
    func destroyReadOptions() {
        unsafe leveldb_readoptions_destroy(reading)
        unsafe leveldb_readoptions_destroy(scanning)
    }
}
