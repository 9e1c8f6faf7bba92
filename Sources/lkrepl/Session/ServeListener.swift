/// Where a server listens.
struct ServeListener: Sendable {
    let host: String
    let port: Int
    let certificate: String?
    let key: String?

    var isLocal: Bool { ["localhost", "127.0.0.1", "::1"].contains(host) }
}
