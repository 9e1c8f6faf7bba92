#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The access control list of a directory on Linux (`acl(5)`), which lets in more users than the permission bits show.
///
/// With a list, the bits of the group are those that any user or group of the list may have at most. A directory passes
/// its default list on to what is created in it. Other systems are left as they are.
enum AccessControlList {
    #if os(Linux)
        /// Removes the lists that a new directory has inherited, so that its permission bits count, and those of what is
        /// created in it.
        static func removeInherited(from directory: DirectoryHandle) {
            // glibc declares these functions in a header that its module leaves out.
            typealias Remove = @convention(c) (Int32, UnsafePointer<CChar>) -> Int32
            guard let symbol = unsafe dlsym(nil, "fremovexattr") else { return }
            let remove = unsafe unsafeBitCast(symbol, to: Remove.self)
            // They fail if there is no list.
            for name in [defaultName, accessName] {
                _ = unsafe remove(directory.descriptor, name)
            }
        }

        /// Returns whether a directory has a list for itself.
        static func exists(on directory: DirectoryHandle) -> Bool { read(accessName, of: directory.descriptor) != nil }

        /// Returns whether the directory at a path has a list for itself.
        static func exists(at path: String) -> Bool { read(accessName, at: path) != nil }

        /// Returns whether the list of an open directory lets users or groups write that it names, other than this user
        /// and root.
        static func letsOthersWrite(to descriptor: Int32) -> Bool {
            read(accessName, of: descriptor).map(letsOthersWrite) ?? false
        }

        /// Returns the same for the directory at a path. A link is not followed.
        static func letsOthersWrite(at path: String) -> Bool {
            read(accessName, at: path).map(letsOthersWrite) ?? false
        }

        /// Gives a directory the lists of another one.
        ///
        /// - Returns: whether both have the same access list now.
        static func copy(from old: DirectoryHandle, to new: DirectoryHandle) -> Bool {
            typealias Set = @convention(c) (Int32, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) -> Int32
            guard let symbol = unsafe dlsym(nil, "fsetxattr") else { return !exists(on: old) }
            let set = unsafe unsafeBitCast(symbol, to: Set.self)
            for name in [defaultName, accessName] {
                guard let list = read(name, of: old.descriptor) else { continue }
                guard unsafe set(new.descriptor, name, list, list.count, 0) == 0 else { return false }
            }
            return true
        }

        private static let accessName = "system.posix_acl_access"
        private static let defaultName = "system.posix_acl_default"

        private static func read(_ name: String, of descriptor: Int32) -> [UInt8]? {
            typealias Get = @convention(c) (Int32, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
            guard let symbol = unsafe dlsym(nil, "fgetxattr") else { return nil }
            let get = unsafe unsafeBitCast(symbol, to: Get.self)
            return unsafe read { unsafe get(descriptor, name, $0, $1) }
        }

        private static func read(_ name: String, at path: String) -> [UInt8]? {
            typealias Get =
                @convention(c) (
                    UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int
                ) -> Int
            guard let symbol = unsafe dlsym(nil, "lgetxattr") else { return nil }
            let get = unsafe unsafeBitCast(symbol, to: Get.self)
            return unsafe read { unsafe get(path, name, $0, $1) }
        }

        private static func read(_ get: (UnsafeMutableRawPointer?, Int) -> Int) -> [UInt8]? {
            // Most directories have none. If a list grows in between, its size is asked for again.
            for _ in 0..<8 {
                let size = get(nil, 0)
                if size <= 0 { return nil }
                var list = [UInt8](repeating: 0, count: size)
                let count = unsafe list.withUnsafeMutableBytes { unsafe get($0.baseAddress, $0.count) }
                if count > 0 { return Array(list[..<count]) }
            }
            return nil
        }

        /// Reads a list in the form of linux/posix_acl_xattr.h: a version of four bytes, then entries of eight bytes.
        private static func letsOthersWrite(_ list: [UInt8]) -> Bool {
            let (user, group, mask): (UInt16, UInt16, UInt16) = (0x02, 0x08, 0x10)
            func tag(_ start: Int) -> UInt16 { UInt16(list[start]) | UInt16(list[start + 1]) << 8 }
            let entries = stride(from: 4, to: list.count - 7, by: 8)
            // It limits what the other entries permit.
            if let limit = entries.first(where: { tag($0) == mask }), list[limit + 2] & 2 == 0 { return false }
            return entries.contains { start in
                let tag = tag(start)
                guard list[start + 2] & 2 != 0, tag == user || tag == group else { return false }
                let id = (0..<4).reduce(UInt32(0)) { $0 | UInt32(list[start + 4 + $1]) << (8 * UInt32($1)) }
                return tag == group || id != geteuid() && id != 0
            }
        }
    #else
        static func removeInherited(from directory: DirectoryHandle) {}

        static func exists(on directory: DirectoryHandle) -> Bool { false }

        static func exists(at path: String) -> Bool { false }

        static func letsOthersWrite(to descriptor: Int32) -> Bool { false }

        static func letsOthersWrite(at path: String) -> Bool { false }

        static func copy(from old: DirectoryHandle, to new: DirectoryHandle) -> Bool { true }
    #endif
}
