internal import LevelFiles

/// The directory `renditions` of a document store: thumbnails and previews, which can be made again, in files and in a
/// small database. It belongs to the store, so what deletes the store deletes it.
///
///     renditions/index/…                LevelDB's files
///     renditions/preview/ab/ab34….jpg   a file; `….jpg.new` while it is being written
package enum DerivedDirectory {
    /// The name of the directory.
    package static let name = "renditions"

    /// Deletes the files and the directories, inside the directory of a database that is being deleted. Other names are
    /// kept, and no link is followed.
    static func clear(in database: DirectoryHandle) {
        forEachDirectory(in: database, where: { $0 == name }) { root in
            forEachDirectory(in: root, where: { $0 == "index" }) { index in
                removeFiles(in: index) { EngineFileName($0) != nil }
            }
            forEachDirectory(in: root, where: { _ in true }) { directory in
                forEachDirectory(in: directory, where: ContentDirectory.isShardName) { shard in
                    removeFiles(in: shard, where: isRendition)
                }
            }
        }
    }

    private static func isRendition(_ name: String) -> Bool {
        [".jpg", ".jpg.new"].contains { suffix in
            name.hasSuffix(suffix) && ContentDirectory.isContentName(String(name.dropLast(suffix.count)))
        }
    }

    private static func removeFiles(in directory: DirectoryHandle, where condition: (String) -> Bool) {
        for name in (try? directory.names()) ?? [] where condition(name) { try? directory.removeFile(name) }
    }

    /// Calls `body` with directories, and deletes those that are empty afterwards.
    private static func forEachDirectory(
        in parent: DirectoryHandle, where condition: (String) -> Bool, _ body: (DirectoryHandle) -> Void
    ) {
        for name in (try? parent.names()) ?? [] where condition(name) {
            guard let directory = try? DirectoryHandle(name, in: parent.descriptor) else { continue }
            body(directory)
            try? parent.removeDirectory(name, openAs: directory)
        }
    }
}
