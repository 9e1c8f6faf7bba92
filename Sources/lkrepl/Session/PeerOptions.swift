import ArgumentParser
import Foundation

/// How a peer is reached.
struct PeerOptions: ParsableArguments {
    @Option(name: .long, help: "The user's name at the peer. LKREPL_PASSWORD has the password.") var user: String?
    @Option(name: .long, help: "A file with certificates (PEM) to trust as well, for a peer with one of its own.")
    var cacert: String?
    @Flag(name: .long, help: "Send the password also without TLS.") var insecurePassword = false
}

extension PeerOptions {
    /// The password in the environment.
    ///
    /// - Throws: ``CommandError`` with `usage` if there is none.
    static func password(of user: String) throws -> String {
        guard let password = ProcessInfo.processInfo.environment["LKREPL_PASSWORD"], !password.isEmpty else {
            throw CommandError(
                .usage, "there is no password for \(user)", hint: "set the environment variable LKREPL_PASSWORD")
        }
        return password
    }
}
