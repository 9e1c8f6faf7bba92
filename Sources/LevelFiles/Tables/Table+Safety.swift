extension Table {
    /// How many blocks of a table are looked at.
    package enum SafetyDepth: Sendable {
        /// The index, the index of filters, the first and the last data block.
        case outline
        /// Every block.
        case everything
    }

    /// Why LevelDB must not read this table: a block that another program compressed, or one that is forged and would end
    /// the process; see ``BlockSafety``. `nil` if there is no reason.
    ///
    /// A block whose checksum does not match is no reason: LevelDB finds that by itself and reports it.
    ///
    /// For `everything` this also finds entries that LevelDB would pass over without an error: keys out of order, and blocks that
    /// it takes for empty.
    ///
    /// - Parameter isBytewise: whether keys are ordered by their bytes; the order is not looked at otherwise.
    /// - Returns: a fault that is `foreign` or `damaged`.
    /// - Throws: ``FileFault`` with `unreadable`.
    /// - Complexity: O(n) in the size of the index, or in that of the table for `everything`.
    package func hazard(_ depth: SafetyDepth, isBytewise: Bool) throws(FileFault) -> FileFault? {
        // Names of filters are plain keys.
        let filters = try block(at: footer.metaIndex, shortestKey: 0)
        if let fault = filters.fault { return fault }
        for handle in filters.handles {
            if !holds(handle) { return outside(handle) }
            if depth == .everything, let fault = try packingFault(of: handle) { return fault }
        }
        let index = try block(at: footer.index, shortestKey: BlockSafety.numberByteCount)
        if let fault = index.fault { return fault }
        for handle in index.handles where !holds(handle) { return outside(handle) }
        guard depth == .everything else {
            for handle in [index.handles.first, index.handles.count > 1 ? index.handles.last : nil].compactMap(\.self) {
                if let fault = try content(of: handle, shortestKey: BlockSafety.numberByteCount).fault { return fault }
            }
            return nil
        }
        var sequence = isBytewise ? KeySequence() : nil
        for (handle, separator) in zip(index.handles, index.keys) {
            let content = try content(of: handle, shortestKey: BlockSafety.numberByteCount, following: &sequence)
            if let fault = content.fault { return fault }
            // Of a block that is damaged the keys are not known.
            if content.bytes == nil, isBytewise { sequence = KeySequence() }
            guard sequence?.takes(separator: separator) != false else {
                return fault("its index has a key out of order", at: footer.index.offset)
            }
        }
        return nil
    }

    /// Why a block cannot be unpacked whose content nobody looks at; `nil` if it can.
    private func packingFault(of handle: BlockHandle) throws(FileFault) -> FileFault? {
        guard let (stored, compression) = try checkedBytes(at: handle) else { return nil }
        do throws(FormatFault) {
            _ = try compression.unpack(stored)
            return nil
        } catch {
            return fault(error.reason, at: handle.offset)
        }
    }

    /// The data blocks that would end LevelDB's process, those included whose keys are out of order, which it refuses to write; `nil` if the table cannot be read without reading one of its other
    /// blocks, such as the index, that would.
    ///
    /// - Throws: ``FileFault`` with `unreadable`.
    /// - Complexity: O(n) in the size of the table.
    package func hazardousBlocks(isBytewise: Bool) throws(FileFault) -> [BlockHandle]? {
        let filters = try block(at: footer.metaIndex, shortestKey: 0)
        let index = try block(at: footer.index, shortestKey: BlockSafety.numberByteCount)
        guard filters.fault == nil, filters.handles.allSatisfy(holds), index.fault == nil,
            index.handles.allSatisfy(holds)
        else { return nil }
        // LevelDB does without a filter that it cannot read.
        var blocks: [BlockHandle] = []
        for handle in filters.handles { if try packingFault(of: handle) != nil { blocks.append(handle) } }
        var sequence = isBytewise ? KeySequence() : nil
        for (handle, separator) in zip(index.handles, index.keys) {
            let before = sequence
            let content = try content(of: handle, shortestKey: BlockSafety.numberByteCount, following: &sequence)
            // Keys beyond the one in the index are out of order, and not those of the blocks behind.
            let isBeyond = content.bytes != nil && sequence?.takes(separator: separator) == false
            if content.fault?.kind == .damaged || isBeyond {
                blocks.append(handle)
                sequence = before
            }
        }
        return blocks
    }

    /// Bytes of the index as it is stored, which is what the outline costs.
    package var indexByteCount: UInt64 { footer.index.byteCount }

    private func outside(_ handle: BlockHandle) -> FileFault {
        fault("a block of \(handle.byteCount) bytes leads out of the file", at: handle.offset)
    }

    /// The handles in a block, or what is wrong with it.
    private func block(
        at handle: BlockHandle, shortestKey: Int
    ) throws(FileFault) -> (handles: [BlockHandle], keys: [[UInt8]], fault: FileFault?) {
        let content = try content(of: handle, shortestKey: shortestKey)
        guard let bytes = content.bytes else { return ([], [], content.fault) }
        do throws(FormatFault) {
            var entries = try Block(bytes).entries()
            var handles: [BlockHandle] = []
            var keys: [[UInt8]] = []
            while try entries.next() {
                handles.append(try BlockHandle(decoding: entries.value))
                keys.append(Array(entries.key))
            }
            return (handles, keys, nil)
        } catch {
            return ([], [], fault(error.reason, at: handle.offset))
        }
    }

    private func content(
        of handle: BlockHandle, shortestKey: Int
    ) throws(FileFault) -> (bytes: [UInt8]?, fault: FileFault?) {
        var sequence: KeySequence?
        return try content(of: handle, shortestKey: shortestKey, following: &sequence)
    }

    /// The content of a block, or what is wrong with it; neither if its checksum does not match.
    private func content(
        of handle: BlockHandle, shortestKey: Int, following sequence: inout KeySequence?
    ) throws(FileFault) -> (bytes: [UInt8]?, fault: FileFault?) {
        guard holds(handle) else { return (nil, outside(handle)) }
        guard let (stored, compression) = try checkedBytes(at: handle) else { return (nil, nil) }
        do throws(FormatFault) {
            let bytes = try compression.unpack(stored)
            if let reason = BlockSafety.hazard(in: bytes, shortestKey: shortestKey, following: &sequence) {
                throw FormatFault(reason)
            }
            return (bytes, nil)
        } catch {
            let kind = compression.refusal == nil ? FileFault.Kind.damaged : .foreign
            return (nil, FileFault(kind, file: name, offset: handle.offset, reason: error.reason))
        }
    }
}
