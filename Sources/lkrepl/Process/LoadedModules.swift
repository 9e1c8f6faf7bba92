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
        // Every command does this, so it works on bytes: strings would take longer than most commands.
        let bytes = (try? file.readAll(limit: 4 << 20, name: "maps")) ?? []
        var spans: [Span] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0a) ?? bytes.count
            if let span = span(of: bytes[start..<end]) { spans.append(span) }
            start = end + 1
        }
        return spans
    }

    /// The address range in a line if it belongs to a library of ``names``; otherwise `nil`.
    private static func span(of line: ArraySlice<UInt8>) -> Span? {
        // 7f12a000-7f12b000 r-xp 00000000 08:01 1234 /usr/lib/libleveldb.so.1
        guard let slash = line.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let name = line[(slash + 1)...]
        guard names.contains(where: { name.starts(with: $0.utf8) }) else { return nil }
        var limits: [UInt] = [0]
        for byte in line {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                limits[limits.count - 1] = limits[limits.count - 1] << 4 | UInt(byte - 0x30)
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                limits[limits.count - 1] = limits[limits.count - 1] << 4 | UInt(byte - 0x57)
            case UInt8(ascii: "-") where limits.count == 1: limits.append(0)
            default: return limits.count == 2 ? Span(start: limits[0], end: limits[1]) : nil
            }
        }
        return nil
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
