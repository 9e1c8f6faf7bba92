internal import DocSync

/// Decides whether a request is admitted.
struct AccessGate: Sendable {
    /// The longest address in bytes.
    static let addressLimit = 8192

    let token: AccessToken
    /// The secret in the forms of the pages, so that only they can be sent.
    let formToken = AccessToken()
    let names: ServerNames

    /// The decision about a request.
    enum Decision {
        case admitted(Target)
        /// The browser exchanges the token in the address for a cookie.
        case redirected(to: Link, cookie: String)
    }

    /// Decides about a request.
    ///
    /// - Throws: ``Problem``.
    func decide(_ request: SyncRequest) throws -> Decision {
        let hosts = request.fields.fields.filter { $0.name.lowercased() == "host" }.map(\.value)
        guard names.accepts(hosts) else {
            throw Problem(
                .wrongHost,
                "The field Host names another server, or does not occur exactly once; use the printed address.")
        }
        guard request.target.utf8.count <= Self.addressLimit else {
            throw Problem(
                .addressTooLong, "The address has more than \(Self.addressLimit) bytes; shorten the condition.")
        }
        guard let target = Target(request.target) else {
            throw Problem(.badRequest, "The address is not valid percent-encoded UTF-8; encode it again.")
        }
        if let given = target["token"] { return try exchange(given, request, target) }
        guard isKnown(request) else {
            var problem = Problem(
                .unauthorized,
                "The request has no valid token; open the address that the server printed when it started.")
            problem.fields["WWW-Authenticate"] = "Bearer"
            throw problem
        }
        try requireOwnPage(request)
        return .admitted(target)
    }

    private func exchange(_ given: String, _ request: SyncRequest, _ target: Target) throws -> Decision {
        guard request.method == .get || request.method == .head, token.matches(given) else {
            throw Problem(.unauthorized, "The token in the address is wrong; open the address that the server printed.")
        }
        var link = Link(path: target.path)
        for item in target.query where item.name != "token" {
            link.parameters.append(Link.Parameter(name: item.name, value: item.value))
        }
        return .redirected(to: link, cookie: "\(cookieName)=\(token.text); Path=/; HttpOnly; SameSite=Strict")
    }

    /// The port is part of the name, because browsers send the cookies of one port to all others.
    private var cookieName: String {
        "lk-inspector-" + (names.authorities.first?.split(separator: ":").last.map(String.init) ?? "0")
    }

    private func isKnown(_ request: SyncRequest) -> Bool {
        if let value = request.fields["Authorization"] {
            let parts = value.split(separator: " ", maxSplits: 1)
            return parts.count == 2 && parts[0].lowercased() == "bearer" && token.matches(String(parts[1]))
        }
        let name = cookieName
        for field in request.fields.fields where field.name.lowercased() == "cookie" {
            for cookie in field.value.split(separator: ";") {
                let sides = cookie.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                if sides.count == 2, sides[0] == name[...], token.matches(String(sides[1])) { return true }
            }
        }
        return false
    }

    /// Requires that a request that may do more than read comes from a page of this server, or from no page.
    private func requireOwnPage(_ request: SyncRequest) throws {
        guard request.method != .get, request.method != .head else { return }
        let site = request.fields["Sec-Fetch-Site"] ?? "same-origin"
        guard site == "same-origin" || site == "none",
            request.fields["Origin"].map(names.isOwnOrigin) ?? true
        else { throw Problem(.forbidden, "The request comes from a page of another site, which may not send it.") }
    }
}
