import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// Reads from the disk, not from what the system keeps of it in memory.
package enum ColdCache {
    /// Puts the files of a directory out of the system's cache; nobody may have them mapped.
    ///
    /// That is `posix_fadvise` with `POSIX_FADV_DONTNEED`, a piece of advice: whether it was taken is told by ``readByteCount()``
    /// afterwards. A file system in memory has nothing to put them out of.
    package static func evict(_ directory: String) {
        #if canImport(Glibc)
            // What is not written yet stays where it is.
            sync()
            let files = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
            for file in files {
                let descriptor = open(directory + "/" + file, O_RDONLY)
                guard descriptor >= 0 else { continue }
                posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
                close(descriptor)
            }
        #endif
    }

    /// Reads the files of a directory, so that what comes next finds them in the system's cache.
    package static func fill(from directory: String) throws {
        for file in FileManager.default.enumerator(atPath: directory)?.compactMap({ $0 as? String }) ?? [] {
            guard let handle = FileHandle(forReadingAtPath: directory + "/" + file) else { continue }
            while try handle.read(upToCount: 1 << 20)?.isEmpty == false {}
            try handle.close()
        }
    }

    /// Bytes that the process has had read from disks so far; 0 where that is not known.
    package static func readByteCount() -> Int {
        let counters = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
        let line = counters.split(separator: "\n").first { $0.hasPrefix("read_bytes") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
