internal import LevelKit

/// The stored form: the leaves, the winner first, each with the part of its path that no leaf before it has.
///
///     leaves      varint: the number of leaves
///     for each leaf:
///       generation  varint
///       flags       1: deleted; 2: made by a commit of this store, whose number follows as a varint; 4: IDs are texts
///       count       varint: the number of IDs that follow, newest first
///       IDs         16 bytes each; as texts, a varint with the length and UTF-8
///       joint       varint: the number of the ID, counted from 1 in the record, where the path continues; 0: nowhere
extension RevisionTree {
    private enum Flag {
        static let deleted: UInt8 = 1
        static let own: UInt8 = 2
        static let texts: UInt8 = 4
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        var numbers: [Revision: Int] = [:]
        Varint.append(UInt64(leaves.count), to: &bytes)
        for revision in leavesInOrder {
            guard let leaf = leaves[revision] else { continue }
            var ids: [RevisionID] = []
            var joint = 0
            for ancestor in path(to: revision).revisions {
                if let number = numbers[ancestor] {
                    joint = number
                    break
                }
                ids.append(ancestor.id)
                numbers[ancestor] = numbers.count + 1
            }
            let areTexts = ids.contains { $0.bytes == nil }
            Varint.append(UInt64(revision.generation), to: &bytes)
            bytes.append(
                (leaf.isDeleted ? Flag.deleted : 0) | (leaf.commit == nil ? 0 : Flag.own) | (areTexts ? Flag.texts : 0))
            if let commit = leaf.commit { Varint.append(commit, to: &bytes) }
            Varint.append(UInt64(ids.count), to: &bytes)
            for id in ids {
                if !areTexts, let raw = id.bytes {
                    bytes += raw
                } else {
                    Varint.append(UInt64(id.description.utf8.count), to: &bytes)
                    bytes += id.description.utf8
                }
            }
            Varint.append(UInt64(joint), to: &bytes)
        }
        return bytes
    }

    /// Decodes a tree; `nil` for malformed bytes.
    init?(_ bytes: Span<UInt8>) {
        var reader = Reader(bytes: bytes)
        guard let tree = reader.tree(), reader.offset == bytes.count else { return nil }
        self = tree
    }

    private struct Reader: ~Escapable {
        let bytes: Span<UInt8>
        var offset = 0

        @_lifetime(copy bytes)
        init(bytes: Span<UInt8>) { self.bytes = bytes }

        mutating func number() -> Int? {
            Varint.read(bytes, &offset).flatMap { Int(exactly: $0) }
        }

        mutating func tree() -> RevisionTree? {
            guard let count = number(), count > 0, count <= bytes.count else { return nil }
            var parents: [Revision: RevisionID?] = [:]
            var leaves: [Revision: RevisionTree.Leaf] = [:]
            var revisions: [Revision] = []
            var order: [Revision] = []
            for _ in 0..<count {
                guard let generation = number(), offset < bytes.count else { return nil }
                let flags = bytes[offset]
                offset += 1
                guard flags <= Flag.deleted | Flag.own | Flag.texts else { return nil }
                var leaf = RevisionTree.Leaf(isDeleted: flags & Flag.deleted != 0)
                if flags & Flag.own != 0 {
                    guard let commit = Varint.read(bytes, &offset), commit > 0 else { return nil }
                    leaf.commit = commit
                }
                guard let idCount = number(), idCount > 0, idCount <= generation, idCount <= bytes.count - offset else {
                    return nil
                }
                var child: Revision?
                for index in 0..<idCount {
                    guard let id = id(isText: flags & Flag.texts != 0),
                        let revision = Revision(generation: generation - index, id: id),
                        parents[revision] == nil
                    else { return nil }
                    parents[revision] = .some(.none)
                    if let child { parents[child] = .some(id) } else { order.append(revision) }
                    child = revision
                    revisions.append(revision)
                }
                guard let joint = number(), joint <= revisions.count - idCount, let child else { return nil }
                if joint > 0 {
                    let parent = revisions[joint - 1]
                    guard parent.generation == child.generation - 1, leaves[parent] == nil else { return nil }
                    parents[child] = .some(parent.id)
                }
                leaves[order[order.count - 1]] = leaf
            }
            let tree = RevisionTree(parents: parents, leaves: leaves)
            return leaves.count == count && tree.leavesInOrder == order ? tree : nil
        }

        private mutating func id(isText: Bool) -> RevisionID? {
            let count: Int
            if isText {
                guard let length = number(), length <= RevisionID.maximumByteCount else { return nil }
                count = length
            } else {
                count = RevisionID.byteCount
            }
            guard count <= bytes.count - offset else { return nil }
            let part = bytes.extracting(offset..<offset + count).copied()
            offset += count
            return isText ? String(validating: part, as: UTF8.self).flatMap(RevisionID.init) : RevisionID(bytes: part)
        }
    }
}
