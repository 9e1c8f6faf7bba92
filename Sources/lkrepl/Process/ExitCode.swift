/// How a run ended, for the programs that started it: sysexits.h, the grep convention for 1, and 128 + signal.
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

    /// What the code tells, for `--help` and the manual.
    var meaning: String {
        switch self {
        case .done: "done"
        case .no: "no: key not found, nothing matched, or differences found"
        case .usage: "bad command line"
        case .badData: "bad input record, truncated dump, checksum mismatch, corrupt database, or rows were rejected"
        case .noInput: "database or input file missing"
        case .unavailable: "a program or service that is needed is not available"
        case .software: "internal error in lkrepl"
        case .cannotCreate: "cannot create the output"
        case .inputOutput: "input or output failed, a full disk included"
        case .temporaryFailure: "locked by another process; retry later"
        case .noPermission: "needs --write or --yes, or the permission of a file"
        case .badConfiguration: "bad configuration file"
        case .hungUp: "ended by SIGHUP"
        case .interrupted: "interrupted with ^C"
        case .brokenPipe: "the reader of the output went away"
        case .terminated: "ended by SIGTERM"
        }
    }
}
