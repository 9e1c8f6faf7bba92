package import DocIndex

/// An attachment as a peer sees it: a member of `_attachments` of a document.
package struct WireAttachment: Sendable, Hashable {
    /// Where the content is.
    package enum Content: Sendable, Hashable {
        /// The peer has it, or will be asked to send it.
        case stub
        /// In a later part of the message.
        case follows
        /// In the document itself.
        case data([UInt8])
    }

    /// The name, which occurs once in a document. Peers refuse empty names and names that begin with `_`.
    package var name: String
    /// The media type.
    package var type: String
    /// The size of the content in bytes; `nil` if the peer does not state it.
    package var byteCount: Int64?
    /// The digest by which the peer identifies the content, such as `md5-…` in base64; `nil` if the peer does not state
    /// it. CouchDB compresses texts. Their digest is that of the compressed content, which depends on the compression.
    package var digest: String?
    /// The generation of the revision with which the content came (`revpos`); `nil` if it is not stated.
    package var generation: Int?
    /// How the content is compressed where it follows, such as `gzip`; `nil` if it is not.
    package var encoding: String?
    /// The size of the compressed content in bytes; `nil` if it is not compressed or the peer does not state it.
    package var encodedByteCount: Int64?
    /// Where the content is.
    package var content: Content

    /// Whether the length of the content is unknown because a client sent it compressed. CouchDB then states the
    /// compressed length twice.
    var hasUnknownLength: Bool { byteCount != nil && byteCount == encodedByteCount }

    package init(
        _ name: String, type: String, byteCount: Int64? = nil, digest: String? = nil, generation: Int? = nil,
        content: Content = .stub
    ) {
        self.name = name
        self.type = type
        self.byteCount = byteCount
        self.digest = digest
        self.generation = generation
        self.content = content
    }
}

// MARK: - JSON

extension WireAttachment {
    /// Reads the value of `_attachments`.
    ///
    /// - Parameter text: the value as JSON.
    /// - Returns: the attachments in their order. The contents of those that follow in a multipart message have the
    ///   same order.
    /// - Throws: ``AttachmentError`` with `malformed`.
    package static func list(_ text: [UInt8]) throws(AttachmentError) -> [WireAttachment] {
        let value: DocumentValue
        do throws(JSONError) {
            value = try JSONParser().parse(text)
        } catch {
            throw AttachmentError(.malformed, "_attachments is malformed, \(error.description)")
        }
        guard case .object(let members) = value else {
            throw AttachmentError(.malformed, "_attachments is not an object; correct the document at the peer.")
        }
        return try list(members)
    }

    /// Reads the members of `_attachments`, which were parsed without a meaning of names.
    ///
    /// - Returns: like ``list(_:)-([UInt8])``.
    /// - Throws: ``AttachmentError`` with `malformed`.
    package static func list(_ members: DocumentObject) throws(AttachmentError) -> [WireAttachment] {
        var list: [WireAttachment] = []
        list.reserveCapacity(members.count)
        for member in members { list.append(try WireAttachment(member.name, member.value)) }
        return list
    }

    private init(_ name: String, _ value: DocumentValue) throws(AttachmentError) {
        guard case .object(let members) = value else { throw Self.malformed(name, "is not an object") }
        let type = members["content_type"]?.stringValue ?? ""
        self.init(name, type: type.isEmpty ? Attachment.unknownType : type)
        byteCount = try Self.count(members["length"], of: name)
        digest = members["digest"]?.stringValue
        generation = members["revpos"]?.intValue.flatMap { Int(exactly: $0) }
        encoding = members["encoding"]?.stringValue
        encodedByteCount = try Self.count(members["encoded_length"], of: name)
        if members["stub"]?.boolValue == true {
            content = .stub
        } else if members["follows"]?.boolValue == true {
            content = .follows
        } else if case .string(let text)? = members["data"] {
            content = .data(try Self.decoded(text, of: name))
        } else {
            throw Self.malformed(name, "has neither stub nor follows nor data")
        }
    }

    private static func count(_ value: DocumentValue?, of name: String) throws(AttachmentError) -> Int64? {
        switch value {
        case nil, .null?: return nil
        case .int(let count)? where count >= 0: return count
        default: throw malformed(name, "has a length that is not a number of bytes")
        }
    }

    private static func decoded(_ text: String, of name: String) throws(AttachmentError) -> [UInt8] {
        do throws(Base64.DecodingError) {
            return try Base64.decode(text.utf8Span.span)
        } catch {
            throw malformed(name, "has malformed data: \(error.message)")
        }
    }

    private static func malformed(_ name: String, _ reason: String) -> AttachmentError {
        AttachmentError(.malformed, "The attachment \(name.inMessage) \(reason); correct the document at the peer.")
    }

    /// Returns the value of `_attachments`. If a name occurs twice, the last attachment with it counts.
    package static func object(_ attachments: [WireAttachment]) -> DocumentObject {
        var object = DocumentObject()
        for attachment in attachments { object[attachment.name] = .object(attachment.members) }
        return object
    }

    /// Returns the value of `_attachments` as JSON.
    package static func json(_ attachments: [WireAttachment]) -> [UInt8] {
        var text: [UInt8] = []
        DocumentValue.object(object(attachments)).writeJSON(to: &text)
        return text
    }

    private var members: DocumentObject {
        var members: DocumentObject = ["content_type": .string(type)]
        members["revpos"] = generation.map { .int(Int64($0)) }
        members["digest"] = digest.map { .string($0) }
        members["length"] = byteCount.map { .int($0) }
        members["encoding"] = encoding.map { .string($0) }
        members["encoded_length"] = encodedByteCount.map { .int($0) }
        switch content {
        case .stub: members["stub"] = true
        case .follows: members["follows"] = true
        case .data(let bytes): members["data"] = .string(Base64.text(of: bytes))
        }
        return members
    }
}

extension String {
    /// The string in quotes, without control characters and not too long, for messages.
    var inMessage: String {
        var text: [UInt8] = []
        DocumentValue.string(String(prefix(100))).writeJSON(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
