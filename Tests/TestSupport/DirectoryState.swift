import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Everything visible of a directory from outside: its entries and, for each entry and the directory itself, the
/// identity, mode, owner, modification time and content.
public struct DirectoryState: Equatable, CustomStringConvertible {
    private struct Item: Equatable {
        var inode: UInt64
        var mode: UInt32
        var owner: UInt32
        var byteCount: Int64
        var changeTime: [Int]
        var content: Data?
    }

    private var items: [String: Item] = [:]

    /// Captures a directory with all its entries, also those of directories in it.
    public init(_ path: String) throws {
        items["."] = try Self.item(path)
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            items[name] = try Self.item(path + "/" + name)
        }
    }

    private static func item(_ path: String) throws -> Item {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw POSIXError(.ENOENT) }
        #if canImport(Glibc)
            let time = status.st_mtim
        #else
            let time = status.st_mtimespec
        #endif
        let isSmallFile = status.st_mode & S_IFMT == S_IFREG && status.st_size < 1 << 30
        return Item(
            inode: UInt64(status.st_ino), mode: UInt32(status.st_mode), owner: UInt32(status.st_uid),
            byteCount: Int64(status.st_size), changeTime: [Int(time.tv_sec), Int(time.tv_nsec)],
            content: isSmallFile ? try Data(contentsOf: URL(filePath: path)) : nil)
    }

    /// Returns the names of the entries that differ between two states.
    public func difference(from other: DirectoryState) -> [String] {
        Set(items.keys).union(other.items.keys).filter { items[$0] != other.items[$0] }.sorted()
    }

    /// The names of the entries.
    public var description: String { items.keys.sorted().joined(separator: " ") }
}
