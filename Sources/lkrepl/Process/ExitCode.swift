/// The exit code of a run, for scripts: sysexits.h, 1 as in grep, and 128 + signal.
enum ExitCode: Int32, CaseIterable, Sendable {
    case done = 0
    case no = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    case temporaryFailure = 75
    case noPermission = 77
    case badConfiguration = 78
    case hungUp = 129
    case interrupted = 130
    case brokenPipe = 141
    case terminated = 143

    /// The meaning of the code, for JSON errors and the manual.
    var meaning: String {
        switch self {
        case .done: "done"
        case .no: "not found: no such key, no match, or differences found"
        case .usage: "bad command line"
        case .badData: "bad record, truncated dump, checksum mismatch, corrupt database, or rows rejected or left out"
        case .noInput: "database or input file missing, here or at a peer"
        case .unavailable: "a required program, service or peer is not available"
        case .software: "internal error in lkrepl"
        case .cannotCreate: "cannot create the output"
        case .inputOutput: "input or output failed, for example because the disk is full"
        case .temporaryFailure: "locked by another process, or the connection to a peer failed; retry later"
        case .noPermission: "needs --write, --yes, file permissions, or a user name and a password for the peer"
        case .badConfiguration: "bad configuration file"
        case .hungUp: "ended by SIGHUP"
        case .interrupted: "interrupted with ^C"
        case .brokenPipe: "the reader of the output was closed"
        case .terminated: "ended by SIGTERM"
        }
    }
}
