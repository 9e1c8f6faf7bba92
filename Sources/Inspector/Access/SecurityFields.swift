internal import DocSync

/// The header fields that every response has.
enum SecurityFields {
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

    /// Returns the response with the fields. A stricter policy, as attachments have, is kept.
    static func added(to response: SyncResponse) -> SyncResponse {
        var response = response
        if response.fields["Content-Security-Policy"] == nil { response.fields["Content-Security-Policy"] = policy }
        response.fields["X-Content-Type-Options"] = "nosniff"
        response.fields["Referrer-Policy"] = "no-referrer"
        response.fields["Cross-Origin-Opener-Policy"] = "same-origin"
        response.fields["Cross-Origin-Resource-Policy"] = "same-origin"
        if response.fields["Cache-Control"] == nil { response.fields["Cache-Control"] = "no-store" }
        return response
    }
}
