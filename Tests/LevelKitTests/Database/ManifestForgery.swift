import LevelFiles
import LevelKit

enum ManifestForgery {
    /// Replaces the manifest of a database with a modified version.
    static func rewrite(_ database: String, _ body: (inout VersionEdit) -> Void) throws {
        let name = try Manifest(ofDatabaseAt: database).name
        var edit = VersionEdit(try ManifestFile(at: database + "/" + name).version)
        body(&edit)
        var writer = RecordWriter()
        writer.append(edit.encoded)
        try write(writer.bytes, to: database + "/" + name)
    }
}
