internal import LevelFiles

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Gets hold of the files that make up a database at one moment, while any process may be writing to it.
///
/// The order of the steps is what makes the result a moment of the source's history. The manifest is read first and
/// names the tables; the names of the logs are listed after the tables are held, so every write is in a table, in a log,
/// or later than both. A table or log that is gone means that the manifest is out of date, and everything begins again.
struct FileCollector {
    /// Why a try did not succeed.
    enum Failure: Error {
        /// The writer was faster: a file that the manifest names is gone, or there is a new manifest.
        case overtaken
        /// Files do not fit together.
        case damaged(LevelError)
        /// Trying again would not help.
        case stopped(LevelError)
    }

    /// A table that is open, so that it can be read even if the writer deletes it meanwhile.
    struct HeldTable {
        let table: Manifest.Table
        let file: OpenFile
        let name: String
    }

    /// A log that is open.
    struct HeldLog {
        let number: UInt64
        let file: OpenFile

        var name: String { EngineFileName.log(named: number) }
    }

    let source: DatabaseDirectory
    let manifest: Manifest
    /// Whether symbolic links are followed: only where this process made them.
    private let followsLinks: Bool

    /// Reads the manifest, or what was added to it since the last try.
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

    /// Calls `body` until it was not overtaken by the writer.
    ///
    /// - Parameter action: what cannot be done otherwise, such as `copy`.
    /// - Throws: ``LevelError``: `busy` when every try was overtaken; `corruption` only if two tries in a row found the
    ///   same.
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
                    // A moving database may look damaged once. The same damage twice is there.
                    if error == damage { throw error }
                    damage = error
                }
            }
            // The first tries follow at once: the rest of the manifest is short, and the tables are there but for a
            // few.
            if number > 3 { usleep(UInt32(1000 << min(number - 4, 7))) }
        }
        throw LevelError(
            .busy, "the database at \(source.path) changed during each of \(tryLimit) tries to \(action) it; try again",
            cause: damage?.message)
    }

    /// Throws if there is a new manifest by now.
    func requireCurrent() throws(Failure) {
        let name: String
        do throws(LevelError) { name = try source.currentManifestName() } catch { throw .stopped(error) }
        guard name == manifest.name else { throw .overtaken }
    }

    // MARK: - Tables

    /// Opens a table. A symbolic link in its place is an error, unless links are followed.
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

    /// The names that the file of a table may have, the usual one first.
    static func names(of table: Manifest.Table) -> [String] {
        [EngineFileName.table(named: table.number), EngineFileName.oldTable(named: table.number)]
    }

    // MARK: - Logs

    /// Opens the logs, the oldest first. Each but the last is complete, since a later one exists. To what the last one
    /// holds, the writer may add until it is read.
    func holdLogs() throws(Failure) -> [HeldLog] {
        var numbers: [UInt64] = []
        let names: [String]
        do throws(LevelError) { names = try source.names() } catch { throw .stopped(error) }
        for name in names {
            if case .log(let number) = EngineFileName(name), manifest.needsLog(number) { numbers.append(number) }
        }
        // Without it, writes that are in no table yet would be missing, and LevelDB would not notice.
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
                "the database at \(source.path) is damaged: \(reason); restore a backup or salvage with repair"))
    }
}
