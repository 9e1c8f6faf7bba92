package import DocIndex

/// The services that a shell provides beside the store. Apps have none of them.
package struct ShellServices: Sendable {
    /// The commands that the console runs.
    package let console: CommandConsole
    /// Returns every version of a key that is still in the files of the database, newest first.
    package let versions: @Sendable (_ key: [UInt8]) throws -> [StoredVersion]
    /// Returns an attached picture in another size, as a JPEG file; `nil` if it cannot be made. Throws only
    /// `CancellationError`, soon after the task was canceled.
    package let picture: PictureMaker

    package typealias PictureMaker =
        @Sendable (_ original: Attachment, _ size: ShownSize) async throws -> [UInt8]?

    package init(
        console: CommandConsole, picture: @escaping PictureMaker = { _, _ in nil },
        versions: @escaping @Sendable ([UInt8]) throws -> [StoredVersion]
    ) {
        self.console = console
        self.picture = picture
        self.versions = versions
    }
}

/// The sizes in which pages show pictures.
package enum ShownSize: String, Sendable, CaseIterable {
    /// For a grid.
    case thumbnail
    /// For the whole window.
    case preview
}

/// A version of a key in the files of a database.
package struct StoredVersion: Sendable, Hashable {
    /// The sequence number of the operation.
    package let sequence: UInt64
    /// The value; `nil` for a deletion.
    package let value: [UInt8]?
    /// The file that contains the version.
    package let file: String
    /// Whether a read returns this version.
    package let isCurrent: Bool

    package init(sequence: UInt64, value: [UInt8]?, file: String, isCurrent: Bool) {
        self.sequence = sequence
        self.value = value
        self.file = file
        self.isCurrent = isCurrent
    }
}
