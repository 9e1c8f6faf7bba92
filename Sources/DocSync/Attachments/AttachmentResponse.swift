package import DocIndex

/// The response to a request for the content of an attachment (`GET DB/ID/NAME`), or for its header fields (`HEAD`).
///
/// A range is honored, so that a client can continue after an interruption. The entity tag is the SHA-256 of the
/// content, so the client notices when the content has changed.
package enum AttachmentResponse {
    /// Returns the response.
    ///
    /// The content is read only while the body is read. If it is damaged, the body ends with an error.
    ///
    /// - Parameters:
    ///   - attachment: the reference in the document.
    ///   - request: the request. Its header fields `Range`, `If-Range` and `If-None-Match` count.
    /// - Returns: a response with status 200, 206 (a part), 304 (the client has it) or 416 (the content ends before the
    ///   range); `nil` if the content is not stored.
    /// - Throws: `DocIndexError` with `corruption`; `LevelError`.
    package static func make(
        for attachment: Attachment, of store: DocumentStore, to request: SyncRequest
    ) throws -> SyncResponse? {
        guard let info = try store.attachments.info(attachment.digest), info.byteCount == attachment.byteCount else {
            return nil
        }
        let tag = entityTag(of: attachment)
        var fields: HeaderFields = [
            "ETag": tag, "Accept-Ranges": "bytes", "Cache-Control": "must-revalidate",
            // The content comes from anyone, so a browser must not run it as a page of this server.
            "Content-Security-Policy": "sandbox", "X-Content-Type-Options": "nosniff",
        ]
        if let tags = request.fields["If-None-Match"], contains(tag, in: tags) {
            return SyncResponse(status: 304, fields: fields)
        }
        let byteCount = info.byteCount
        let condition = request.fields["If-Range"]
        let range = condition == nil || condition == tag ? range(request.fields["Range"], of: byteCount) : nil
        if case .unsatisfiable? = range {
            fields["Content-Range"] = "bytes */\(byteCount)"
            return SyncResponse(status: 416, fields: fields)
        }
        fields.append("Content-Type", attachment.type)
        var part = 0..<byteCount
        if case .bytes(let wanted)? = range {
            part = wanted
            fields.append("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(byteCount)")
        }
        let partByteCount = part.upperBound - part.lowerBound
        fields.append("Content-Length", "\(partByteCount)")
        var body = SyncBody.none
        if request.method != .head {
            let chunks = store.attachments.chunks(of: attachment, in: part)
            body = .stream(ByteStream(chunks, byteCount: partByteCount))
        }
        return SyncResponse(status: range == nil ? 200 : 206, fields: fields, body: body)
    }

    /// The entity tag of an attachment: its SHA-256 in quotes.
    package static func entityTag(of attachment: Attachment) -> String { "\"sha256-\(attachment.digest)\"" }

    private static func contains(_ tag: String, in list: String) -> Bool {
        list.split(separator: ",").contains { item in
            let item = item.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            return item.elementsEqual("*") || item.elementsEqual(tag) || item.elementsEqual("W/" + tag)
        }
    }

    enum RequestedRange: Equatable {
        case bytes(Range<Int64>)
        case unsatisfiable
    }

    /// Reads the value of `Range`; `nil` if there is none, if it is malformed, or if it has several ranges. The whole
    /// content is returned then (RFC 9110, section 14.2).
    static func range(_ value: String?, of byteCount: Int64) -> RequestedRange? {
        guard let value, value.utf8.starts(with: "bytes=".utf8) else { return nil }
        let text = value.utf8.dropFirst("bytes=".utf8.count)
        guard let hyphen = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let first = text[..<hyphen]
        let last = text[text.index(after: hyphen)...]
        guard first.allSatisfy(\.isDigit), last.allSatisfy(\.isDigit) else { return nil }
        // Numbers that are too large are beyond the end of every attachment.
        let start = first.isEmpty ? nil : Int64(Substring(first)) ?? .max
        let end = last.isEmpty ? nil : Int64(Substring(last)) ?? .max
        switch (start, end) {
        case (nil, nil): return nil
        case (nil, let count?):
            guard count > 0, byteCount > 0 else { return .unsatisfiable }
            return .bytes(max(0, byteCount - count)..<byteCount)
        case (let start?, let end):
            if let end, end < start { return nil }
            guard start < byteCount else { return .unsatisfiable }
            return .bytes(start..<(min(end ?? .max, byteCount - 1) + 1))
        }
    }
}
