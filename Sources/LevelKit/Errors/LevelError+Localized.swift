#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The strings that an application shows in an alert, in English. `localizedDescription` is the ``message``.
extension LevelError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }

    /// The message of LevelDB or the operating system, or `nil` if LevelKit itself found the fault.
    public var failureReason: String? { cause }

    /// The usual next step for an error of this kind, or `nil` if the message is all there is to say.
    public var recoverySuggestion: String? {
        switch code {
        case .corruption:
            "Restore a backup. Without one, Database.repair(at:) saves what is readable, and copies the files first."
        case .io: "Free disk space, check the permissions and the disk, and try again."
        case .busy: "Another process is changing the database. Try again."
        case .locked: "Close the database in the other program, or open it read-only."
        case .databaseNotFound, .databaseExists: "Check the path."
        case .readOnly: "Open the database for writing."
        case .comparatorMismatch, .schemaMismatch: "Open the data with the definition that the message names."
        case .malformedEntry: "Find out which program wrote the entry, or read it as bytes."
        case .closed, .forked, .cursorsAlive, .cancelled, .invalidArgument, .notSupported, .tooLarge, .unknown: nil
        }
    }
}
