import DocIndex
import DocNetwork
import DocSync
import LevelFiles
import LevelKit
import StorePackages

extension CommandError {
    /// The failure to report for any error: its message, and the exit code for scripts.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandError: self = failure
        case let failure as WriteError: self = failure.commandError
        case let failure as LineReadError: self = failure.commandError(reading: "standard input")
        case let error as LevelError where error.code == .databaseNotFound:
            self.init(
                .noInput, error.description.split(separator: ";").first.map(String.init) ?? error.description,
                hint: Self.hintForMissingDatabase)
        case let error as LevelError where error.code == .io && error.description.contains("Permission denied"):
            self.init(.noPermission, error.description)
        case let error as LevelError where error.description.hasSuffix(Self.libraryHintForLock):
            self.init(
                Self.exitCode(error.code), String(error.description.dropLast(Self.libraryHintForLock.count)),
                hint: "close it there, or wait for it with --wait SECONDS")
        case let error as LevelError: self.init(Self.exitCode(error.code), error.description)
        case let fault as FileError: self.init(fault)
        case let error as DocIndexError:
            self.init(
                Self.exitCode(error.code), error.message, hint: error.code == .scanRefused ? "omit --no-scan" : nil)
        case let error as PackageError: self.init(Self.exitCode(error.code), sentence: error.message)
        case let error as SyncError: self.init(error)
        case let error as TransportError: self.init(Self.exitCode(error.code), sentence: error.message)
        case let error as MessageError: self.init(.badData, sentence: error.message)
        case let error as JSONError: self.init(.badData, "\(error)")
        case let error as NotationError: self.init(.usage, "\(error)")
        case let error as FieldPath.SyntaxError: self.init(.usage, "\(error)")
        case let error as ShellSyntaxError: self.init(.usage, "\(error)")
        case let error as SystemError: self.init(error.exitCode, "\(error)", hint: error.hint)
        case is CancellationError: self = Interruption.failure()
        default:
            #if Server
                if let error = error as? NetworkError {
                    self.init(error.code == .cannotListen ? .unavailable : .usage, sentence: error.message)
                    return
                }
            #endif
            self.init(.software, "\(error)")
        }
    }

    /// What to do about a path without a database.
    static let hintForMissingDatabase =
        "check the path; init creates a store, load --create creates a database from a dump"

    /// What LevelKit says about a database that another process has locked. Programs have no `--wait`.
    private static let libraryHintForLock = "; close it there, or wait and try again"

    private init(_ error: SyncError) {
        self.init(Self.exitCode(error.code), sentence: error.message)
        switch error.code {
        case .unauthorized: hint = "check the name (--user) and the password (LKREPL_PASSWORD)"
        case .databaseMissing where hint == "check the address or create it":
            hint = "check the address; with --create, CouchDB creates the database"
        default: break
        }
    }

    /// A failure whose message is a sentence, with the advice after a semicolon.
    private init(_ exitCode: ExitCode, sentence: String) {
        var text = Substring(sentence)
        if text.last == "." { text.removeLast() }
        guard let end = text.ranges(of: "; ").last else {
            self.init(exitCode, String(text))
            return
        }
        self.init(exitCode, String(text[..<end.lowerBound]), hint: String(text[end.upperBound...]))
    }

    private static func exitCode(_ code: LevelError.Code) -> ExitCode {
        switch code {
        case .corruption, .malformedEntry, .notSupported: .badData
        case .io: .inputOutput
        case .invalidArgument, .comparatorMismatch, .schemaMismatch, .tooLarge: .usage
        case .databaseNotFound: .noInput
        case .databaseExists: .cannotCreate
        case .locked, .busy: .temporaryFailure
        case .cancelled: .interrupted
        case .readOnly: .noPermission
        case .closed, .forked, .cursorsAlive, .unknown: .software
        }
    }

    private static func exitCode(_ code: PackageError.Code) -> ExitCode {
        switch code {
        case .notAPackage, .packageTooNew, .packageDamaged: .badData
        case .packageTooLarge, .invalidOptions: .usage
        }
    }

    private static func exitCode(_ code: SyncError.Code) -> ExitCode {
        switch code {
        case .unauthorized, .forbidden: .noPermission
        case .databaseMissing: .noInput
        case .databaseReplaced: .temporaryFailure
        case .peerFailed: .unavailable
        }
    }

    private static func exitCode(_ code: TransportError.Code) -> ExitCode {
        switch code {
        case .cancelled: .interrupted
        case .timedOut, .cut: .temporaryFailure
        case .unreachable, .certificateRefused, .insecure, .malformed, .proxyRefused: .unavailable
        }
    }

    private static func exitCode(_ code: DocIndexError.Code) -> ExitCode {
        switch code {
        case .notADocumentStore, .storeTooNew, .corruption, .invalidSchema, .invalidID, .invalidDocument,
            .documentExists, .documentMissing, .duplicateValue, .tooManyEntries, .conflict, .epochChanged,
            .migrationFailed, .notInHistory, .attachmentMissing, .attachmentElsewhere,
            .attachmentDamaged:
            .badData
        case .unknownCollection, .unknownAlbum, .invalidAlbum, .unknownIndex, .invalidQuery, .invalidUpdate,
            .queryTooLarge, .changeTooLarge,
            .scanRefused:
            .usage
        case .attachmentsInUse: .temporaryFailure
        case .nestedWrite: .software
        }
    }
}
