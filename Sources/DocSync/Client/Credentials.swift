internal import DocIndex

/// How a client identifies itself to a peer. Secrets are read when needed, and are not kept.
public struct Credentials: Sendable {
    private let field: @Sendable () async throws -> String?

    private init(_ field: @escaping @Sendable () async throws -> String?) { self.field = field }

    /// No credentials.
    public static let none = Credentials { nil }

    /// A name and a password (RFC 7617). Neither may contain control characters, nor the name a colon.
    public static func basic(
        _ login: @escaping @Sendable () async throws -> (name: String, password: String)
    ) -> Credentials {
        Credentials {
            let (name, password) = try await login()
            return "Basic " + Base64.text(of: Array("\(name):\(password)".utf8))
        }
    }

    /// A token (RFC 6750).
    public static func bearer(_ token: @escaping @Sendable () async throws -> String) -> Credentials {
        Credentials { "Bearer " + (try await token()) }
    }

    /// The value of the field `Authorization`; `nil` if there is none.
    func authorization() async throws -> String? { try await field() }
}
