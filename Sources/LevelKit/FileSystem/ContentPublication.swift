internal import LevelFiles

/// A finished file that gets its name in a ``ContentDirectory``.
package struct ContentPublication {
    let file: NewContentFile
    /// The SHA-256 digest of the content, in hexadecimal.
    let digest: String
    /// Whether a record refers to the content, so an existing file was completely published. Without a record, it may
    /// be on the disk only in part even if it can be read: after a failed sync, the system keeps the content in memory
    /// and forgets that the disk lacks it.
    let hasRecord: Bool

    package init(_ file: NewContentFile, as digest: String, hasRecord: Bool) {
        self.file = file
        self.digest = digest
        self.hasRecord = hasRecord
    }
}

extension ContentDirectory {
    /// Gives files their names, and returns once their content and their names are on the disk.
    ///
    /// If there is a record, and a file with that name has the same content, that file is kept. Otherwise the new file
    /// replaces it.
    ///
    /// The names of new contents come first, so that one write of the journal covers the files and their names. Then
    /// all files are flushed at the same time, and then all directories. A crash in between leaves files without a
    /// record, whose content may be incomplete.
    ///
    /// - Parameter publications: files with different digests.
    /// - Throws: ``LevelError`` with `io`. New files are deleted then.
    package func publish(_ publications: [ContentPublication]) throws(LevelError) {
        var placed: [(name: String, file: NewContentFile.Placed)] = []
        do throws(LevelError) {
            for publication in publications {
                let file = try publication.file.place(as: publication.digest, hasRecord: publication.hasRecord)
                placed.append((publication.digest, file))
            }
            try flush(placed.map(\.file))
            var shards: Set<Substring> = []
            for publication in publications where shards.insert(publication.digest.prefix(2)).inserted {
                try synchronizeName(ofShardFor: publication.digest)
            }
        } catch {
            for (name, file) in placed where file.isNew { try? file.directory.removeFile(name) }
            for publication in publications { publication.file.discard() }
            throw error
        }
    }

    /// Flushes files, and then the directories with their names.
    private func flush(_ placed: [NewContentFile.Placed]) throws(LevelError) {
        let files = placed.map(\.file)
        try check(FlushThreads.run(count: files.count) { index throws(SystemError) in try files[index].synchronize() })
        var identities: Set<FileIdentity> = []
        var directories: [DirectoryHandle] = []
        do throws(SystemError) {
            for file in placed where identities.insert(try file.directory.status().identity).inserted {
                directories.append(file.directory)
            }
        } catch {
            throw error.levelError("finish a file in \(path)")
        }
        try check(
            FlushThreads.run(count: directories.count) { [directories] index throws(SystemError) in
                try OpenFile.synchronize(directory: directories[index].descriptor)
            })
    }

    private func check(_ errors: [SystemError?]) throws(LevelError) {
        if case let error?? = errors.first(where: { $0 != nil }) { throw error.levelError("finish a file in \(path)") }
    }
}
