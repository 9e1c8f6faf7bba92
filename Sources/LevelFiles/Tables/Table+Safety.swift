extension Table {
    /// How many blocks of a table are checked.
    package enum SafetyDepth: Sendable {
        /// The index, the metaindex, and the first and the last data block.
        case outline
        /// Every block.
        case everything
    }

    /// Returns the reason that LevelDB must not read this table: a block in a foreign compression, or a forged block
    /// that would end the process; see ``BlockSafety``. Returns `nil` if the table is safe.
    ///
    /// Wrong checksums are ignored, because LevelDB detects and reports them itself.
    ///
    /// With `everything` this also finds entries that LevelDB would silently skip: keys out of order, writes after the
    /// last one or newer than those in the logs, blocks that LevelDB treats as empty, and keys where LevelDB does not look
    /// for them: outside of the range in the manifest, or excluded by a Bloom filter. Compacting with new writes of equal
    /// numbers would end the process.
    ///
    /// - Parameters:
    ///   - depth: the blocks to check.
    ///   - isBytewise: whether keys are in bytewise order. If not, the order is not checked.
    ///   - lastSequence: the largest number that a write in a table can have; see ``BatchOrder/tableLimit(_:before:)``.
    ///   - range: the first and the last key according to the manifest; `nil` to check neither.
    /// - Returns: a fault that is `foreign` or `damaged`.
    /// - Throws: ``FileError`` with `unreadable`.
    /// - Complexity: O(n) in the size of the index, or of the table for `everything`.
    package func hazard(
        _ depth: SafetyDepth, isBytewise: Bool, upTo lastSequence: UInt64,
        within range: (first: InternalKey, last: InternalKey)?
    ) throws(FileError) -> FileError? {
        // The names of filters are plain keys.
        let filters = try block(at: footer.metaIndex, shortestKey: 0)
        if let fault = filters.fault { return fault }
        guard areInOrder(filters.keys) else {
            return fault("its metaindex has names out of order", at: footer.metaIndex.offset)
        }
        if let fault = fault(inOrderOf: filters.handles.sorted { $0.offset < $1.offset }, at: footer.metaIndex) {
            return fault
        }
        for handle in filters.handles {
            if !holds(handle) { return outside(handle) }
            if depth == .everything, let fault = try packingFault(of: handle) { return fault }
        }
        let index = try block(
            at: footer.index, shortestKey: BlockSafety.numberByteCount, readsKeys: depth == .everything)
        if let fault = index.fault { return fault }
        for handle in index.handles where !holds(handle) { return outside(handle) }
        if let fault = fault(inOrderOf: index.handles, at: footer.index) { return fault }
        if index.handles.isEmpty { return fault("it has no entries", at: footer.index.offset) }
        guard depth == .everything else {
            for handle in [index.handles.first, index.handles.count > 1 ? index.handles.last : nil].compactMap(\.self) {
                if let fault = try content(of: handle, shortestKey: BlockSafety.numberByteCount).fault { return fault }
            }
            return nil
        }
        var sequence: KeySequence? = KeySequence(isBytewise: isBytewise, upTo: lastSequence)
        var (knowsFirst, last): (Bool, [UInt8]?) = (true, nil)
        var bloomFilters: FilterBlock?
        do throws(FileError) { bloomFilters = try self.bloomFilters() } catch {
            // LevelDB ignores filters with a wrong checksum, and uses all others.
            var isUnreadable = false
            for handle in filters.handles where try checkedBytes(at: handle) == nil { isUnreadable = true }
            if !isUnreadable { return error }
        }
        var excluding: BlockHandle?
        for (handle, separator) in zip(index.handles, index.keys) {
            sequence?.filter = bloomFilters?.filter(forBlockAt: handle.offset)
            let content = try content(of: handle, shortestKey: BlockSafety.numberByteCount, following: &sequence)
            if let fault = content.fault { return fault }
            // The keys of a corrupt block are unknown.
            if content.bytes == nil {
                sequence?.restart()
                if handle == index.handles.first { knowsFirst = false }
            }
            last = content.bytes == nil ? nil : sequence?.last
            if excluding == nil, sequence?.hasExcludedKey == true { excluding = handle }
            guard sequence?.takes(separator: separator) != false else {
                return fault("its index has a key out of order", at: footer.index.offset)
            }
        }
        if let excluding { return fault("the Bloom filter of its block excludes a key", at: excluding.offset) }
        guard let range else { return nil }
        if knowsFirst, sequence?.first != range.first.encoded {
            return fault("its first key is not the one that the manifest gives", at: footer.index.offset)
        }
        if let last, last != range.last.encoded {
            return fault("its last key is not the one that the manifest gives", at: footer.index.offset)
        }
        return nil
    }

    /// Whether the names of filters ascend, so that LevelDB finds the one that it seeks.
    private func areInOrder(_ names: [[UInt8]]) -> Bool {
        zip(names, names.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
    }

    /// Returns the reason that a block whose content is not checked cannot be decompressed, or `nil` if it can.
    private func packingFault(of handle: BlockHandle) throws(FileError) -> FileError? {
        guard let (stored, compression) = try checkedBytes(at: handle) else { return nil }
        do throws(FormatError) {
            _ = try compression.unpack(stored)
            return nil
        } catch {
            return fault(error.reason, at: handle.offset)
        }
    }

    /// Returns the data blocks that would end LevelDB's process. This includes blocks with keys out of order, which
    /// LevelDB refuses to write, and with larger sequence numbers than `lastSequence`. Returns `nil` if the table cannot
    /// be read safely at all, because another of its blocks, such as the index, is unsafe, or because it has no entries:
    /// LevelDB writes no such table, and its repair ends the process (`db/repair.cc`, `WriteDescriptor`).
    ///
    /// - Throws: ``FileError`` with `unreadable`.
    /// - Complexity: O(n) in the size of the table.
    package func hazardousBlocks(isBytewise: Bool, upTo lastSequence: UInt64) throws(FileError) -> [BlockHandle]? {
        let filters = try block(at: footer.metaIndex, shortestKey: 0)
        let index = try block(at: footer.index, shortestKey: BlockSafety.numberByteCount)
        guard filters.fault == nil, filters.handles.allSatisfy(holds), index.fault == nil,
            index.handles.allSatisfy(holds), BlockHandle.firstMisplaced(index.handles) == nil,
            BlockHandle.firstMisplaced(filters.handles.sorted { $0.offset < $1.offset }) == nil
        else { return nil }
        // LevelDB ignores an unreadable filter or metaindex.
        var blocks: [BlockHandle] = areInOrder(filters.keys) ? [] : [footer.metaIndex]
        var (entryCount, isDamaged) = (0, false)
        for handle in filters.handles { if try packingFault(of: handle) != nil { blocks.append(handle) } }
        var sequence = isBytewise ? KeySequence(isBytewise: true, upTo: lastSequence) : nil
        for (handle, separator) in zip(index.handles, index.keys) {
            let before = sequence
            let content = try content(of: handle, shortestKey: BlockSafety.numberByteCount, following: &sequence) {
                _, _ in entryCount += 1
            }
            isDamaged = isDamaged || content.bytes == nil
            // Keys beyond the block's index key are out of order; the keys of the following blocks are not.
            let isBeyond = content.bytes != nil && sequence?.takes(separator: separator) == false
            if content.fault?.kind == .damaged || isBeyond {
                blocks.append(handle)
                sequence = before
                isDamaged = true
            }
        }
        // LevelDB leaves out a table in which it reads only damaged blocks.
        return entryCount == 0 && !isDamaged ? nil : blocks
    }

    /// The stored size of the index in bytes, which is the cost of `outline`.
    package var indexByteCount: UInt64 { footer.index.byteCount }

    /// Returns the fault of an index or metaindex whose blocks overlap, or `nil` if they follow one another.
    private func fault(inOrderOf handles: [BlockHandle], at index: BlockHandle) -> FileError? {
        BlockHandle.firstMisplaced(handles).map { fault(Self.overlap($0), at: index.offset) }
    }

    private func outside(_ handle: BlockHandle) -> FileError {
        fault("a block of \(handle.byteCount) bytes extends beyond the end of the file", at: handle.offset)
    }

    /// Returns the handles in a block and, if requested, its keys, or the problem with it.
    private func block(
        at handle: BlockHandle, shortestKey: Int, readsKeys: Bool = true
    ) throws(FileError) -> (handles: [BlockHandle], keys: [[UInt8]], fault: FileError?) {
        var sequence: KeySequence?
        // The values are collected in the pass that checks the block: opening a database reads every index.
        var values: [Range<Int>] = []
        var keyByteCount = 0
        let content = try content(of: handle, shortestKey: shortestKey, following: &sequence) { count, value in
            values.append(value)
            keyByteCount = keyByteCount.addingReportingOverflow(count).partialValue
        }
        guard let bytes = content.bytes else { return ([], [], content.fault) }
        do throws(FormatError) {
            var budget = KeyBudget(blockByteCount: bytes.count)
            try budget.spend(keyByteCount)
            var handles: [BlockHandle] = []
            handles.reserveCapacity(values.count)
            for value in values { handles.append(try BlockHandle(decoding: bytes[value])) }
            var keys: [[UInt8]] = []
            if readsKeys {
                var entries = try Block(bytes).entries()
                while try entries.next() { keys.append(entries.key) }
            }
            return (handles, keys, nil)
        } catch {
            return ([], [], fault(error.reason, at: handle.offset))
        }
    }

    private func content(
        of handle: BlockHandle, shortestKey: Int
    ) throws(FileError) -> (bytes: [UInt8]?, fault: FileError?) {
        var sequence: KeySequence?
        return try content(of: handle, shortestKey: shortestKey, following: &sequence)
    }

    /// Returns the content of a block, or the problem with it. Returns neither if its checksum does not match.
    private func content(
        of handle: BlockHandle, shortestKey: Int, following sequence: inout KeySequence?,
        _ entry: (_ keyByteCount: Int, _ value: Range<Int>) -> Void = { _, _ in }
    ) throws(FileError) -> (bytes: [UInt8]?, fault: FileError?) {
        guard holds(handle) else { return (nil, outside(handle)) }
        guard let (stored, compression) = try checkedBytes(at: handle) else { return (nil, nil) }
        do throws(FormatError) {
            let bytes = try compression.unpack(stored)
            if let reason = BlockSafety.hazard(in: bytes, shortestKey: shortestKey, following: &sequence, entry) {
                throw FormatError(reason)
            }
            return (bytes, nil)
        } catch {
            let kind = compression.refusal == nil ? FileError.Kind.damaged : .foreign
            return (nil, FileError(kind, file: name, offset: handle.offset, reason: error.reason))
        }
    }
}
