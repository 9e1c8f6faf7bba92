import DocIndex

/// One line of the input of the command `batch`.
enum BatchOperation: Equatable {
    case put(key: [UInt8], value: [UInt8])
    case delete([UInt8])

    /// Reads `{"op":"put","k":…,"v":…}` or `{"op":"del","k":…}`.
    ///
    /// - Throws: `JSONError`, or ``CommandError`` with `badData` and what is missing.
    init(line: [UInt8]) throws {
        guard case .object(let object) = try JSONParser().parse(line) else {
            throw CommandError(
                .badData, "an operation must be a JSON object such as {\"op\":\"del\",\"k\":\"user/1\"}")
        }
        for member in object where !["op", "k", "k64", "v", "v64"].contains(member.name) {
            throw CommandError(.badData, "unknown member \(member.name)", hint: "use op, k or k64, v or v64")
        }
        let key = try Self.bytes("k", in: object)
        let value = try Self.bytes("v", in: object)
        switch object["op"]?.stringValue {
        case "put":
            guard let key, let value else { throw CommandError(.badData, "a put needs k or k64, and v or v64") }
            self = .put(key: key, value: value)
        case "del":
            guard let key, value == nil else { throw CommandError(.badData, "a del needs k or k64, and no value") }
            self = .delete(key)
        case let other?: throw CommandError(.badData, "unknown op \(other)", hint: "use put or del")
        case nil: throw CommandError(.badData, "the member op is missing", hint: "use put or del")
        }
    }

    private static func bytes(_ name: String, in object: DocumentObject) throws -> [UInt8]? {
        let text = object[name]
        let encoded = object[name + "64"]
        guard text == nil || encoded == nil else {
            throw CommandError(.badData, "\(name) and \(name)64 cannot be combined")
        }
        if let text {
            guard let text = text.stringValue else { throw CommandError(.badData, "\(name) is not a string") }
            return Array(text.utf8)
        }
        guard let encoded else { return nil }
        guard let digits = encoded.stringValue, let bytes = try? Base64.decode(Array(digits.utf8).span) else {
            throw CommandError(.badData, "\(name)64 is not valid base64")
        }
        return bytes
    }
}
