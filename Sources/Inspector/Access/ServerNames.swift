internal import Synchronization

/// The names by which a browser may address this server, with its port.
///
/// A page of another site can make its name resolve to this machine, and then read what the server answers (DNS
/// rebinding). Such a request has the other name in its field `Host`.
final class ServerNames: Sendable {
    /// A name that no other server of this machine has. Cookies are kept by name without the port, so the cookie of one
    /// inspector is not sent to another one. Browsers resolve names below `localhost` to this machine themselves.
    let ownName: String
    private let port = Mutex<Int?>(nil)

    init() {
        var generator = SystemRandomNumberGenerator()
        ownName = "lk-\(AccessToken.hexadecimal(generator.next(), digitCount: 8)).localhost"
    }

    /// Sets the port, when the server listens.
    func setPort(_ port: Int) { self.port.withLock { $0 = port } }

    /// The addresses of the server, the preferred one first; empty before the port is known.
    var authorities: [String] {
        guard let port = port.withLock({ $0 }) else { return [] }
        return [ownName, "127.0.0.1", "localhost", "[::1]"].map { "\($0):\(port)" }
    }

    /// Returns whether the values of the field `Host` name this server: one value, with the port.
    func accepts(_ hosts: [String]) -> Bool {
        guard hosts.count == 1, let host = hosts.first else { return false }
        return authorities.contains(host.lowercased())
    }

    /// Returns whether the value of the field `Origin` is a page of this server.
    func isOwnOrigin(_ origin: String) -> Bool {
        authorities.contains { origin.lowercased() == "http://" + $0 }
    }
}
