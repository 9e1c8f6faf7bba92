import Foundation

/// Makes every write beyond a file size fail in this process, as a full disk does; `nil` lifts the limit.
///
/// Only for the child processes of exit tests.
func limitFileByteCount(to byteCount: Int?) throws {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    #if os(Linux)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
        let resource = RLIMIT_FSIZE
    #endif
    guard unsafe getrlimit(resource, &limit) == 0 else { throw POSIXError(.EINVAL) }
    limit.rlim_cur = byteCount.map { rlim_t($0) } ?? limit.rlim_max
    guard unsafe setrlimit(resource, &limit) == 0 else { throw POSIXError(.EINVAL) }
}
