import Foundation
import LevelKit
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

#if os(Linux)
    /// A separate disk in memory, filled by the database itself and by another file.
    @Suite struct FullDiskTests {
        /// Whether this process can mount file systems.
        private static let canMount = unsafe system("unshare -m true > /dev/null 2>&1") == 0

        /// Mounts a file system of the given size that is visible only to the calling thread and the threads it starts.
        private static func mountDisk(_ byteCount: Int, at path: String) throws {
            typealias Unshare = @convention(c) (Int32) -> Int32
            guard let unshare = unsafe dlsym(nil, "unshare") else { throw POSIXError(.ENOSYS) }
            let newNamespace: Int32 = 0x20000
            guard unsafe unsafeBitCast(unshare, to: Unshare.self)(newNamespace) == 0 else { throw POSIXError(.EPERM) }
            let (recursive, isPrivate): (UInt, UInt) = (1 << 14, 1 << 18)
            guard unsafe mount(nil, "/", nil, recursive | isPrivate, nil) == 0 else { throw POSIXError(.EPERM) }
            guard unsafe "size=\(byteCount)".withCString({ unsafe mount("tmpfs", path, "tmpfs", 0, $0) }) == 0 else {
                throw POSIXError(.EPERM)
            }
        }

        /// Writes until the disk is full, continues to write, frees space, and writes again, without reopening the
        /// database.
        @Test(
            .enabled(if: canMount, "skipped: only who may mount file systems can make a small disk"),
            arguments: [4 << 20, 24 << 20, 64 << 20])
        func `A full disk accepts writes again as soon as it has space`(byteCount: Int) async throws {
            try await withSharedDirectory { directory in
                await #expect(processExitsWith: .success) {
                    [path = directory as String, byteCount = byteCount as Int] in
                    try reportingErrors {
                        try Self.mountDisk(byteCount, at: path)
                        let ballast = path + "/ballast"
                        try Data(count: byteCount * 2 / 5).write(to: URL(filePath: ballast))
                        let database = try Database.open(at: path + "/db")
                        var random = SplitMix64(seed: 7)
                        var acknowledged: [[UInt8]] = []
                        func put(_ number: Int) -> LevelError.Code? {
                            // Incompressible for LevelDB.
                            let value = (0..<byteCount >> 15).flatMap { _ in
                                unsafe withUnsafeBytes(of: random.next()) { unsafe Array($0) }
                            }
                            let found = code { try database.put(value, forKey: numberedKey(number)) }
                            if found == nil { acknowledged.append(numberedKey(number)) }
                            return found
                        }
                        let refused = try #require((0..<20_000).first { put($0) != nil })
                        #expect(refused > 50)
                        for number in 20_000..<20_200 { #expect(put(number) == .io) }
                        try FileManager.default.removeItem(atPath: ballast)
                        for number in 30_000..<30_200 { #expect(put(number) == nil) }
                        #expect(try keys(of: database) == acknowledged)
                        try database.close()
                        let again = try Database.open(at: path + "/db")
                        #expect(try keys(of: again) == acknowledged)
                    }
                }
            }
        }
    }
#endif
