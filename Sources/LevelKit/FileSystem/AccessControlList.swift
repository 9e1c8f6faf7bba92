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
            for name in ["system.posix_acl_default", "system.posix_acl_access"] {
                _ = unsafe remove(directory.descriptor, name)
            }
        }

        /// Returns whether a directory has a list for itself.
        static func exists(on directory: DirectoryHandle) -> Bool {
            typealias Get = @convention(c) (Int32, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
            guard let symbol = unsafe dlsym(nil, "fgetxattr") else { return false }
            let get = unsafe unsafeBitCast(symbol, to: Get.self)
            return unsafe get(directory.descriptor, "system.posix_acl_access", nil, 0) > 0
        }
    #else
        static func removeInherited(from directory: DirectoryHandle) {}

        static func exists(on directory: DirectoryHandle) -> Bool { false }
    #endif
}
