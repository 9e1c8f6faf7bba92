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
    /// - Returns: a fault that is `foreign` or `damaged`.
    /// - Throws: ``FileFault`` with `unreadable`.
    /// - Complexity: O(n) in the size of the index, or in that of the table for `everything`.
    package func hazard(_ depth: SafetyDepth) throws(FileFault) -> FileFault? {
        // Names of filters are plain keys.
        let filters = try block(at: footer.metaIndex, shortestKey: 0)
        if let fault = filters.fault { return fault }
        for handle in filters.handles where !holds(handle) { return outside(handle) }
        let index = try block(at: footer.index, shortestKey: BlockSafety.numberByteCount)
        if let fault = index.fault { return fault }
        for handle in index.handles where !holds(handle) { return outside(handle) }
        let wanted =
            switch depth {
            case .outline: [index.handles.first, index.handles.count > 1 ? index.handles.last : nil].compactMap(\.self)
            case .everything: index.handles
            }
        for handle in wanted {
            if let fault = try content(of: handle, shortestKey: BlockSafety.numberByteCount).fault { return fault }
        }
        return nil
    }

    /// The data blocks that would end LevelDB's process; `nil` if the table cannot be read without reading one of its other
    /// blocks, such as the index, that would.
    ///
    /// - Throws: ``FileFault`` with `unreadable`.
    /// - Complexity: O(n) in the size of the table.
    package func hazardousBlocks() throws(FileFault) -> [BlockHandle]? {
        let filters = try block(at: footer.metaIndex, shortestKey: 0)
        let index = try block(at: footer.index, shortestKey: BlockSafety.numberByteCount)
        guard filters.fault == nil, filters.handles.allSatisfy(holds), index.fault == nil,
            index.handles.allSatisfy(holds)
        else { return nil }
        var blocks: [BlockHandle] = []
        for handle in index.handles {
            let fault = try content(of: handle, shortestKey: BlockSafety.numberByteCount).fault
            if fault?.kind == .damaged { blocks.append(handle) }
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
    ) throws(FileFault) -> (handles: [BlockHandle], fault: FileFault?) {
        let content = try content(of: handle, shortestKey: shortestKey)
        guard let bytes = content.bytes else { return ([], content.fault) }
        do throws(FormatFault) {
            var entries = try Block(bytes).entries()
            var handles: [BlockHandle] = []
            while try entries.next() { handles.append(try BlockHandle(decoding: entries.value)) }
            return (handles, nil)
        } catch {
            return ([], fault(error.reason, at: handle.offset))
        }
    }

    /// The content of a block, or what is wrong with it; neither if its checksum does not match.
    private func content(
        of handle: BlockHandle, shortestKey: Int
    ) throws(FileFault) -> (bytes: [UInt8]?, fault: FileFault?) {
        guard holds(handle) else { return (nil, outside(handle)) }
        guard let (stored, compression) = try checkedBytes(at: handle) else { return (nil, nil) }
        do throws(FormatFault) {
            let bytes = try compression.unpack(stored)
            if let reason = BlockSafety.hazard(in: bytes, shortestKey: shortestKey) { throw FormatFault(reason) }
            return (bytes, nil)
        } catch {
            let kind = compression.refusal == nil ? FileFault.Kind.damaged : .foreign
            return (nil, FileFault(kind, file: name, offset: handle.offset, reason: error.reason))
        }
    }
}
