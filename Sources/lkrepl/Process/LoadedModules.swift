#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The address ranges of LevelDB's code, and the instruction that a signal interrupted.
enum LoadedModules {
    /// The addresses from `start` up to, but excluding, `end`.
    struct Span {
        var start: UInt
        var end: UInt
    }

    /// LevelDB, and the libraries that it calls. A fault of lkrepl's own code within a C function is therefore
    /// attributed to LevelDB.
    private static let names = ["libleveldb", "libsnappy", "libstdc++", "libc.so", "libc-"]

    /// The address ranges of LevelDB's libraries; empty if the system does not provide them.
    static func engine() -> [Span] {
        guard let file = try? FileDescriptor.openForReading("/proc/self/maps") else { return [] }
        defer { try? file.closeFile() }
        let text = String(decoding: (try? file.readAll(limit: 4 << 20, name: "maps")) ?? [], as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            // 7f12a000-7f12b000 r-xp 00000000 08:01 1234 /usr/lib/libleveldb.so.1
            guard let name = line.split(separator: "/").last, names.contains(where: name.hasPrefix) else { return nil }
            let limits = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
            return limits.count == 2 ? Span(start: limits[0], end: limits[1]) : nil
        }
    }

    /// The address of the interrupted instruction; `nil` if unknown. Safe to call in a signal handler.
    ///
    /// - Parameter context: The third argument of the handler.
    static func instruction(in context: UnsafeMutableRawPointer?) -> UInt? {
        guard let context = unsafe context else { return nil }
        #if canImport(Glibc) && arch(x86_64)
            // REG_RIP of sys/ucontext.h.
            return unsafe UInt(
                bitPattern: Int(context.assumingMemoryBound(to: ucontext_t.self).pointee.uc_mcontext.gregs.16))
        #elseif canImport(Glibc) && arch(arm64)
            return unsafe UInt(context.assumingMemoryBound(to: ucontext_t.self).pointee.uc_mcontext.pc)
        #else
            return nil
        #endif
    }
}
