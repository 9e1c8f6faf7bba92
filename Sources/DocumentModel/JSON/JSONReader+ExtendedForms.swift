/// Parsing of the extended forms that ``DocumentValue/JSONNotation`` describes.
///
/// The nesting limit applies to the resulting value, not to its notation: `{"$lit":{…}}` counts as one object, and the
/// form of a scalar does not count.
extension JSONReader {
    /// Whether an array or object that begins at this position is the content of `$lit`.
    var nextIsLiteral: Bool {
        guard options.notation != .plain, let parent = builder.innermost, parent.isObject, !parent.isLiteral else {
            return false
        }
        return builder.innermostNameCount == 1
            && builder.innermostFirstName?.hasSameBytes(as: ExtendedName.literal) == true
    }

    /// Whether a value at this position may be the content of `$attachment`.
    private var isInAttachment: Bool {
        guard let parent = builder.innermost, parent.isObject, !parent.isLiteral, builder.innermostNameCount == 1 else {
            return false
        }
        return builder.innermostFirstName?.hasSameBytes(as: ExtendedName.attachment) == true
    }

    /// Rejects an object that is nested too deep, unless it may still turn out to be the form of a scalar, or a part of
    /// one.
    func checkDepthOfObject(_ depth: Int) throws(JSONError) {
        guard depth > options.maximumDepth else { return }
        let allowance = options.notation == .plain || nextIsLiteral ? 0 : isInAttachment ? 2 : 1
        guard depth <= options.maximumDepth + allowance else { throw failure(.tooDeep) }
    }

    /// Rejects the current name if only the form of a scalar is allowed at this depth.
    func checkExtendedName() throws(JSONError) {
        guard builder.depth > options.maximumDepth, let object = builder.innermost,
            let name = builder.innermostFirstName
        else { return }
        guard ExtendedName.isScalar(name) || isContentOfAttachment else {
            throw failure(.tooDeep, at: object.offset)
        }
    }

    /// Whether the innermost object may be the content of `$attachment`.
    private var isContentOfAttachment: Bool {
        builder.onlyNameAroundInnermost?.hasSameBytes(as: ExtendedName.attachment) == true
    }

    /// Rejects an object at the maximum depth whose first member is `$attachment` and contains an object. That object
    /// was allowed to be deeper until the second member showed that the outer one is not the form of an attachment.
    private func checkDepthOfContent(
        _ object: DocumentObject, from frame: DocumentBuilder.Frame
    ) throws(JSONError) {
        guard let first = object.first, first.name.hasSameBytes(as: ExtendedName.attachment) else { return }
        if first.value.objectValue != nil { throw failure(.tooDeep, at: frame.offset) }
    }

    /// Returns the value that an object represents in the parser's notation.
    func interpret(_ object: DocumentObject, from frame: DocumentBuilder.Frame) throws(JSONError) -> DocumentValue {
        guard !frame.isLiteral else { return .object(object) }
        let form =
            options.notation == .dump
            ? object.first.flatMap { ExtendedName.isReserved($0.name) ? $0 : nil } : ExtendedName.tag(of: object)
        guard let form else {
            // Until its second member, the object could have been the form of a scalar.
            guard frame.depth <= options.maximumDepth || isInAttachment else {
                throw failure(.tooDeep, at: frame.offset)
            }
            if frame.depth == options.maximumDepth { try checkDepthOfContent(object, from: frame) }
            return .object(object)
        }
        let meaning = object.count == 1 ? ExtendedName.meaning(of: form) : nil
        guard let meaning else {
            throw failure(.invalidExtendedForm(expected: ExtendedName.expectation(of: form.name)), at: frame.offset)
        }
        return meaning
    }
}

/// The names of the forms; see ``DocumentValue/JSONNotation``. They are part of the dump format and must never change.
enum ExtendedName {
    static let bytes = "$bytes"
    static let date = "$date"
    static let number = "$num"
    static let literal = "$lit"
    static let attachment = "$attachment"

    /// Returns whether an object whose first name is `name` must be written as `{"$lit":{…}}`.
    static func isReserved(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: "$")
    }

    /// Returns whether an object would be read as a form in tagged notation.
    static func isTagged(_ object: DocumentObject) -> Bool { tag(of: object) != nil }

    /// Returns the member that makes an object a form in tagged notation; `nil` if the object stands for itself.
    ///
    /// The result does not depend on the order of members, because other programs change it.
    static func tag(of object: DocumentObject) -> DocumentObject.Member? {
        if object.count == 1, let member = object.first {
            return isScalar(member.name) || isLiteral(member.name) ? member : nil
        }
        return object.first { isLiteral($0.name) }
    }

    private static func isLiteral(_ name: String) -> Bool { isReserved(name) && name.hasSameBytes(as: literal) }

    /// Returns whether the form with this name represents a scalar.
    static func isScalar(_ name: String) -> Bool {
        guard isReserved(name) else { return false }
        return name.hasSameBytes(as: bytes) || name.hasSameBytes(as: date) || name.hasSameBytes(as: number)
            || name.hasSameBytes(as: attachment)
    }

    /// Returns the notation of a double that JSON cannot represent; `nil` for finite doubles.
    static func notation(of value: Double) -> String? {
        if value.isFinite { return nil }
        return value.isNaN ? "nan" : value > 0 ? "inf" : "-inf"
    }

    /// Returns the value that the form with this single member represents; `nil` if it is not a valid form.
    static func meaning(of member: DocumentObject.Member) -> DocumentValue? {
        switch (member.name, member.value) {
        case (bytes, .string(let text)): (try? Base64.decode(text.utf8Span.span)).map(DocumentValue.bytes)
        case (date, .string(let text)): DocumentDate(iso8601: text).map(DocumentValue.date)
        case (number, .string(let text)): numericValue(of: text)
        case (literal, .object(let object)): .object(object)
        case (attachment, .object(let members)): Attachment(members: members).map { .attachment($0) }
        default: nil
        }
    }

    /// Parses a JSON number, or the notation of one that JSON cannot represent.
    private static func numericValue(of text: String) -> DocumentValue? {
        switch text {
        case "nan": return .double(.nan)
        case "inf": return .double(.infinity)
        case "-inf": return .double(-.infinity)
        default:
            // Without this check, the parser would skip whitespace around the number.
            guard text.utf8.allSatisfy({ $0 > 0x20 }), let value = try? JSONParser().parse(text),
                value.numberValue != nil
            else { return nil }
            return value
        }
    }

    /// Returns a description of the form that an object with this first name should have.
    static func expectation(of name: String) -> String {
        switch name {
        case bytes: "{\"$bytes\":\"…\"} with one member, in standard base64 with padding"
        case date: "{\"$date\":\"2012-06-08T18:02:11.000+02:00\"} with one member, in ISO 8601, the zone optional"
        case number: "{\"$num\":\"…\"} with one member, a number as JSON writes it, nan, inf or -inf"
        case literal: "{\"$lit\":{…}} with one member, an object"
        case attachment:
            "{\"$attachment\":{\"sha256\":\"…\",\"bytes\":2048,\"type\":\"image/jpeg\",\"name\":\"…\"}} with one member, "
                + "the digest in 64 lowercase hexadecimal digits, type and name optional"
        default: "$bytes, $date, $num, $attachment or $lit as the only name"
        }
    }
}
