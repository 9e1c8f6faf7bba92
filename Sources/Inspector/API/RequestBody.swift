internal import DocIndex
internal import DocSync

/// The bodies of requests: JSON of programs, and the fields of forms.
enum RequestBody {
    /// The largest size in bytes.
    static let byteLimit = 1 << 20

    /// Returns the object in a body.
    ///
    /// - Parameter types: the media types that are accepted.
    /// - Throws: ``Problem`` with `unsupportedMediaType`, `tooLarge`, or `badRequest` with the place of the mistake.
    static func object(of request: SyncRequest, types: [String] = ["application/json"]) async throws -> DocumentObject {
        try require(types, of: request)
        return try object(in: try await request.body.collected(limit: byteLimit))
    }

    /// Returns the object that a text contains.
    static func object(in text: [UInt8]) throws -> DocumentObject {
        do {
            guard case .object(let object) = try JSONParser(notation: .dump).parse(text) else {
                throw Problem(.badRequest, "The text is JSON, but not an object; a document is one.")
            }
            return object
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(.badRequest, "The text is not valid JSON: \(error)")
        }
    }

    /// Returns the fields of a form.
    ///
    /// - Throws: ``Problem`` with `unsupportedMediaType`, `tooLarge` or `badRequest`.
    static func form(of request: SyncRequest) async throws -> Target {
        try require(["application/x-www-form-urlencoded"], of: request)
        let text = try await request.body.collected(limit: byteLimit)
        guard let fields = Target("/?" + String(decoding: text, as: UTF8.self)) else {
            throw Problem(.badRequest, "The form is not valid percent-encoded UTF-8; send it again.")
        }
        return fields
    }

    private static func require(_ types: [String], of request: SyncRequest) throws {
        let type = MediaType(request.fields["Content-Type"] ?? "").name
        guard types.contains(type) else {
            throw Problem(
                .unsupportedMediaType,
                "The body must be \(types.joined(separator: " or ")); set the field Content-Type.")
        }
    }
}
