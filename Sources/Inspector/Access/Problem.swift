internal import DocIndex
internal import DocSync

/// Why a request is refused (RFC 9457).
struct Problem: Error, Sendable {
    /// The kinds of problems. The name is the end of the address of a page that explains it.
    enum Kind: String, Sendable, CaseIterable {
        case badRequest = "bad-request"
        case invalidCondition = "invalid-condition"
        case unauthorized
        case forbidden
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case notAcceptable = "not-acceptable"
        case tokenOfAnotherQuery = "token-of-another-query"
        case preconditionFailed = "precondition-failed"
        case tooLarge = "too-large"
        case addressTooLong = "address-too-long"
        case unsupportedMediaType = "unsupported-media-type"
        case rangeNotSatisfiable = "range-not-satisfiable"
        case wrongHost = "wrong-host"
        case queryTooLarge = "query-too-large"
        case refusedDocument = "refused-document"
        case preconditionRequired = "precondition-required"
        case damaged
        case busy
        case tooSlow = "too-slow"

        var status: Int {
            switch self {
            case .badRequest, .invalidCondition: 400
            case .unauthorized: 401
            case .forbidden: 403
            case .notFound: 404
            case .methodNotAllowed: 405
            case .notAcceptable: 406
            case .tokenOfAnotherQuery: 410
            case .preconditionFailed: 412
            case .tooLarge: 413
            case .addressTooLong: 414
            case .unsupportedMediaType: 415
            case .rangeNotSatisfiable: 416
            case .wrongHost: 421
            case .queryTooLarge, .refusedDocument: 422
            case .preconditionRequired: 428
            case .damaged: 500
            case .busy, .tooSlow: 503
            }
        }

        /// The same for every problem of the kind.
        var title: String {
            switch self {
            case .badRequest: "The request is malformed"
            case .invalidCondition: "The condition is invalid"
            case .unauthorized: "The token is missing or wrong"
            case .forbidden: "The request comes from another site"
            case .notFound: "Nothing exists at this address"
            case .methodNotAllowed: "The method is not allowed here"
            case .notAcceptable: "The requested format is not available"
            case .tokenOfAnotherQuery: "The position belongs to another query"
            case .preconditionFailed: "The document is not the expected version"
            case .tooLarge: "The request is too large"
            case .addressTooLong: "The address is too long"
            case .unsupportedMediaType: "The body has a different format than expected"
            case .rangeNotSatisfiable: "The content ends before the range"
            case .wrongHost: "The request is for another server"
            case .queryTooLarge: "The query needs too much memory"
            case .refusedDocument: "The document cannot be stored"
            case .preconditionRequired: "The request must say which version it changes"
            case .damaged: "The store is damaged"
            case .busy: "Too many queries are running"
            case .tooSlow: "The query took too long"
            }
        }

        /// The meaning of the problem, and what to do.
        var explanation: String {
            switch self {
            case .badRequest:
                "A parameter is unknown, occurs twice, or has a value that cannot be read. The detail names it."
            case .invalidCondition:
                "The condition, the order or a field is not in the notation of the shell's find command. The detail says "
                    + "what was expected, and at which character."
            case .unauthorized:
                "Open the address that lkrepl serve printed, with its token. Programs send the token in the header field "
                    + "Authorization: Bearer TOKEN. Each start of the server has a different token."
            case .forbidden: "Only pages of this server may send such requests."
            case .notFound: "The collection, the document or the page does not exist, or no longer exists."
            case .methodNotAllowed:
                "The header field Allow lists the methods. The inspector only reads, unless lkrepl serve has --write."
            case .notAcceptable:
                "Lists of documents are available as application/json, application/x-ndjson and text/csv."
            case .tokenOfAnotherQuery:
                "A position in a list is valid only for the same condition and order. Request the first page."
            case .preconditionFailed:
                "The document was changed, stored or deleted in the meantime. Read it again, and repeat the change."
            case .tooLarge: "The body of a request may have up to a megabyte."
            case .addressTooLong: "An address may have up to 8,192 bytes."
            case .unsupportedMediaType: "Set the header field Content-Type to the format of the body."
            case .rangeNotSatisfiable: "The header field Content-Range contains the size of the content."
            case .wrongHost:
                "The header field Host must occur once and name this server with its port, as in the printed address. "
                    + "This protects the store from pages of other sites that resolve to this machine."
            case .queryTooLarge: "Narrow the condition, set a smaller limit, or sort by a field that has an index."
            case .refusedDocument:
                "A value is invalid, or another document has it in a unique index. detail names the field, and index names "
                    + "the index."
            case .preconditionRequired:
                "A change needs If-Match with the ETag of the document, or If-None-Match: * for a new one, so that it "
                    + "overwrites nothing unseen."
            case .damaged: "Run lkrepl verify on the store; it says what is damaged."
            case .busy: "Try again in a few seconds."
            case .tooSlow: "Narrow the condition, or add an index; the plan shows what was read."
            }
        }
    }

    let kind: Kind
    /// The fault of this request, and what to do.
    let detail: String
    /// The offset of the mistake in the value of a parameter, in characters.
    var place: Int?
    /// The name of the parameter.
    var parameter: String?
    /// The name of the index that refuses a document.
    var index: String?
    /// The header fields that belong to the problem.
    var fields: HeaderFields = [:]

    init(_ kind: Kind, _ detail: String, place: Int? = nil, parameter: String? = nil) {
        self.kind = kind
        self.detail = detail
        self.place = place
        self.parameter = parameter
        if kind.status == 503 { fields["Retry-After"] = "2" }
    }

    /// The problem of a method that an address does not take.
    static func methodNotAllowed(_ method: SyncRequest.Method, _ allowed: [String]) -> Problem {
        var problem = Problem(
            .methodNotAllowed, "\(method.rawValue.prefix(20)) is not allowed here; the header Allow lists what is.")
        problem.fields["Allow"] = allowed.joined(separator: ", ")
        return problem
    }

    /// The problem that an error means.
    init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as DocIndexError: self.init(Self.kind(of: error.code), error.message, place: error.position)
        case let error as FieldPath.SyntaxError: self.init(.invalidCondition, "\(error)")
        case let error as MessageError: self.init(.tooLarge, error.message)
        case is CancellationError: self.init(.busy, "The query was canceled, because the server is stopping.")
        default: self.init(.damaged, "\(error)")
        }
    }

    /// The problem of a change that was refused.
    init(writing error: DocIndexError) {
        switch error.code {
        case .conflict, .documentExists, .documentMissing: self.init(.preconditionFailed, error.message)
        case .duplicateValue, .tooManyEntries, .invalidDocument, .invalidID, .invalidUpdate, .attachmentMissing:
            self.init(.refusedDocument, error.message)
            index = error.uniqueViolation?.index
        default: self.init(error)
        }
    }

    private static func kind(of code: DocIndexError.Code) -> Kind {
        switch code {
        case .unknownCollection, .unknownIndex, .unknownAlbum, .documentMissing, .attachmentMissing,
            .attachmentElsewhere,
            .notInHistory:
            .notFound
        case .queryTooLarge, .scanRefused, .changeTooLarge: .queryTooLarge
        case .corruption, .attachmentDamaged, .notADocumentStore, .storeTooNew, .migrationFailed, .invalidSchema:
            .damaged
        case .attachmentsInUse: .busy
        case .invalidQuery, .invalidUpdate, .invalidAlbum, .invalidID, .invalidDocument, .documentExists, .conflict,
            .epochChanged, .nestedWrite, .duplicateValue, .tooManyEntries:
            .invalidCondition
        }
    }

    /// The problem as JSON.
    var json: DocumentObject {
        var object: DocumentObject = [
            "type": .string("/problems/" + kind.rawValue), "title": .string(kind.title),
            "status": .int(Int64(kind.status)), "detail": .string(detail),
        ]
        if let parameter { object["parameter"] = .string(parameter) }
        if let place { object["at"] = .int(Int64(place)) }
        if let index { object["index"] = .string(index) }
        return object
    }
}
