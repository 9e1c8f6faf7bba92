internal import DocIndex
internal import DocSync

/// Responses of the programming interface.
enum JSONResponse {
    /// The notation of dumps, which keeps the kind of every value.
    static let writer = JSONWriter(notation: .dump)

    /// Returns a response with a value.
    ///
    /// - Parameter tag: the state of the store; `nil` for what no cache may keep.
    static func make(_ value: DocumentObject, tag: String? = nil) -> SyncResponse {
        var text: [UInt8] = []
        writer.write(.object(value), to: &text)
        text.append(UInt8(ascii: "\n"))
        return make(text, tag: tag)
    }

    static func make(_ text: [UInt8], tag: String?) -> SyncResponse {
        var response = SyncResponse(
            status: 200, fields: ["Content-Type": "application/json"], body: .bytes(text))
        if let tag {
            response.fields["ETag"] = tag
            response.fields["Cache-Control"] = "no-cache"
        }
        return response
    }

    /// Returns the response for a problem.
    static func make(_ problem: Problem) -> SyncResponse {
        var text: [UInt8] = []
        writer.write(.object(problem.json), to: &text)
        text.append(UInt8(ascii: "\n"))
        var fields = problem.fields
        fields["Content-Type"] = "application/problem+json"
        return SyncResponse(status: problem.kind.status, fields: fields, body: .bytes(text))
    }

    /// Returns the response for a client that has the current state already; `nil` if it has not.
    static func unchanged(_ request: SyncRequest, tag: String) -> SyncResponse? {
        guard let known = request.fields["If-None-Match"] else { return nil }
        let tags = known.split(separator: ",").map { $0.drop { $0 == " " }.trimmingSuffix { $0 == " " } }
        let bare = tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
        guard tags.contains(where: { $0 == "*" || $0 == bare[...] || $0 == ("W/" + bare)[...] }) else { return nil }
        return SyncResponse(status: 304, fields: ["ETag": tag, "Cache-Control": "no-cache"])
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while condition: (Character) -> Bool) -> Substring {
        var text = self
        while let last = text.last, condition(last) { text.removeLast() }
        return text
    }
}
