internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Opens the files that make up a consistent state of a database, while any process may be writing to it.
///
/// The order of the steps guarantees consistency. The manifest is read first and names the tables. The logs are listed
/// after the tables are open, so every write is in a table, in a log, or later than both. A missing table file or log
/// means that the manifest is stale, and the attempt is repeated.
struct FileCollector {
    /// The reason that an attempt failed.
    enum Failure: Error {
        /// The writer interfered: a file named by the manifest is missing, or the manifest was replaced.
        case overtaken
        /// The files are inconsistent.
        case damaged(LevelError)
        /// A retry would not help.
        case stopped(LevelError)
    }

    /// An open table file. It stays readable even if the writer deletes it.
    struct HeldTable {
        let table: Manifest.Table
        let file: OpenFile
        let name: String
    }

    /// An open log.
    struct HeldLog {
        let number: UInt64
        let file: OpenFile

        var name: String { EngineFileName.log(named: number) }
    }

    let source: DatabaseDirectory
    let manifest: Manifest
    /// Whether symbolic links are followed. Only for links that this process created.
    private let followsLinks: Bool

    /// Reads the manifest, or what was added to it since the last attempt.
    init(
        _ source: DatabaseDirectory, followsLinks: Bool = false, _ follower: inout ManifestFollower?
    ) throws(Failure) {
        self.source = source
        self.followsLinks = followsLinks
        do throws(LevelError) {
            manifest = try ManifestFollower.follow(&follower, in: source)
        } catch {
            throw error.code == .corruption ? .damaged(error) : .stopped(error)
        }
    }

    /// Calls `body` until the writer does not interfere.
    ///
    /// - Parameter action: the verb for error messages, such as `copy`.
    /// - Throws: ``LevelError``: `busy` if the writer interfered with every attempt; `corruption` only if two
    ///   consecutive attempts found the same corruption.
    static func repeated<R>(
        _ source: DatabaseDirectory, tryLimit: Int, action: String,
        _ body: (_ follower: inout ManifestFollower?) throws(Failure) -> R
    ) throws(LevelError) -> (result: R, tryCount: Int) {
        var damage: LevelError?
        var follower: ManifestFollower?
        for number in 1...max(1, tryLimit) {
            do throws(Failure) {
                return (try body(&follower), number)
            } catch {
                switch error {
                case .stopped(let error): throw error
                case .overtaken: damage = nil
                case .damaged(let error):
                    // A changing database may look corrupt once. The same corruption twice is real.
                    if error == damage { throw error }
                    damage = error
                }
            }
            // The first retries follow immediately: the rest of the manifest is short, and most tables are already
            // open.
            if number > 3 { usleep(UInt32(1000 << min(number - 4, 7))) }
        }
        throw LevelError(
            .busy,
            "the database at \(source.path) changed during each of \(tryLimit) attempts to \(action) it; try again",
            cause: damage?.message)
    }

    /// Throws if the manifest has been replaced.
    func requireCurrent() throws(Failure) {
        let name: String
        do throws(LevelError) { name = try source.currentManifestName() } catch { throw .stopped(error) }
        guard name == manifest.name else { throw .overtaken }
    }

    // MARK: - Tables

    /// Opens a table file. A symbolic link is an error, unless links are followed.
    func hold(_ table: Manifest.Table) throws(Failure) -> HeldTable {
        for name in Self.names(of: table) {
            do throws(SystemError) {
                return HeldTable(
                    table: table, file: try OpenFile(reading: source.file(name), followsLink: followsLinks), name: name)
            } catch let error where error.isMissingFile {
                continue
            } catch {
                throw stopped(error, "read", source.file(name))
            }
        }
        throw missing(table)
    }

    /// Returns the possible file names of a table, the usual one first.
    static func names(of table: Manifest.Table) -> [String] {
        [EngineFileName.table(named: table.number), EngineFileName.oldTable(named: table.number)]
    }

    // MARK: - Logs

    /// Opens the logs, the oldest first. All but the last are complete. The writer may append to the last one until it
    /// is read.
    func holdLogs() throws(Failure) -> [HeldLog] {
        var numbers: [UInt64] = []
        let names: [String]
        do throws(LevelError) { names = try source.names() } catch { throw .stopped(error) }
        for name in names {
            if case .log(let number) = EngineFileName(name), manifest.needsLog(number) { numbers.append(number) }
        }
        // Without this log, writes that are not in a table yet would be missing, and LevelDB would not notice.
        guard manifest.logNumber == 0 || numbers.contains(manifest.logNumber) else {
            throw damaged("log \(manifest.logNumber) is missing")
        }
        var logs: [HeldLog] = []
        for number in numbers.sorted() {
            let path = source.file(EngineFileName.log(named: number))
            do throws(SystemError) {
                logs.append(HeldLog(number: number, file: try OpenFile(reading: path, followsLink: followsLinks)))
            } catch {
                throw error.isMissingFile ? .overtaken : stopped(error, "read", path)
            }
        }
        return logs
    }

    // MARK: - Failures

    func stopped(_ error: SystemError, _ verb: String, _ path: String) -> Failure {
        .stopped(error.levelError("\(verb) \(path)"))
    }

    func missing(_ table: Manifest.Table) -> Failure { damaged("table \(table.number) is missing") }

    func damaged(_ reason: String) -> Failure {
        .damaged(
            LevelError(
                .corruption,
                "the database at \(source.path) is damaged: \(reason); restore a backup, or salvage the data with "
                    + "repair"))
    }
}
