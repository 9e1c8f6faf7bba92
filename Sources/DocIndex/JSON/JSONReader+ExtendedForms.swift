/// The forms for what JSON lacks, as ``JSONNotation`` describes them.
///
/// The limit of nesting counts what is read, not how it is written: `{"$lit":{…}}` is one object, and the form of a
/// scalar is none.
extension JSONReader {
    /// The depth of an array or object that begins here.
    var depthOfNextContainer: Int {
        guard let parent = builder.innermost else { return 1 }
        return nextObjectIsLiteral ? parent.depth : parent.depth + 1
    }

    /// Whether an object that begins here is the content of `$lit`.
    var nextObjectIsLiteral: Bool {
        guard options.notation != .plain, let parent = builder.innermost, parent.isObject, !parent.isLiteral else {
            return false
        }
        return builder.innermostNameCount == 1
            && builder.innermostFirstName?.hasSameBytes(as: ExtendedName.literal) == true
    }

    /// Refuses an object that lies too deep, unless it can still turn out to be the form of a scalar.
    func checkDepthOfObject(_ depth: Int) throws(JSONError) {
        let allowance = options.notation != .plain && !nextObjectIsLiteral ? 1 : 0
        guard depth <= options.maximumDepth + allowance else { throw failure(.tooDeep) }
    }

    /// Refuses the name just begun if only the form of a scalar is allowed here.
    func checkExtendedName() throws(JSONError) {
        guard let object = builder.innermost, object.depth > options.maximumDepth,
            let name = builder.innermostFirstName
        else { return }
        guard ExtendedName.isScalar(name) else {
            throw failure(.tooDeep, at: object.offset)
        }
    }

    /// What an object means in the notation of the parser.
    func interpret(_ object: DocumentObject, from frame: DocumentBuilder.Frame) throws(JSONError) -> DocumentValue {
        guard !frame.isLiteral else { return .object(object) }
        let form =
            options.notation == .dump
            ? object.first.flatMap { ExtendedName.isReserved($0.name) ? $0 : nil } : ExtendedName.tag(of: object)
        guard let form else {
            // Until its second member it could have been the form of a scalar.
            guard frame.depth <= options.maximumDepth else { throw failure(.tooDeep, at: frame.offset) }
            return .object(object)
        }
        let meaning = object.count == 1 ? ExtendedName.meaning(of: form) : nil
        guard let meaning else {
            throw failure(.invalidExtendedForm(expected: ExtendedName.expectation(of: form.name)), at: frame.offset)
        }
        return meaning
    }
}

/// The names of the forms; see ``JSONNotation``. They are part of the dump format: stored in files, never change.
enum ExtendedName {
    static let bytes = "$bytes"
    static let date = "$date"
    static let number = "$num"
    static let literal = "$lit"

    /// Whether an object whose first name is `name` has to be written as `{"$lit":{…}}`.
    static func isReserved(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: "$")
    }

    /// Whether an object would be read as a form in tagged notation.
    static func isTagged(_ object: DocumentObject) -> Bool { tag(of: object) != nil }

    /// The member that makes an object a form in tagged notation; `nil` for an object that means itself.
    ///
    /// Does not depend on the order of members, which other programs change.
    static func tag(of object: DocumentObject) -> DocumentObject.Member? {
        if object.count == 1, let member = object.first {
            return isScalar(member.name) || isLiteral(member.name) ? member : nil
        }
        return object.first { isLiteral($0.name) }
    }

    private static func isLiteral(_ name: String) -> Bool { isReserved(name) && name.hasSameBytes(as: literal) }

    /// Whether the form of this name stands for a scalar.
    static func isScalar(_ name: String) -> Bool {
        guard isReserved(name) else { return false }
        return name.hasSameBytes(as: bytes) || name.hasSameBytes(as: date) || name.hasSameBytes(as: number)
    }

    /// How a double is written that JSON has no number for; `nil` for finite ones.
    static func notation(of value: Double) -> String? {
        if value.isFinite { return nil }
        return value.isNaN ? "nan" : value > 0 ? "inf" : "-inf"
    }

    /// What the form of this single member stands for; `nil` if it is none.
    static func meaning(of member: DocumentObject.Member) -> DocumentValue? {
        switch (member.name, member.value) {
        case (bytes, .string(let text)): Base64.decode(text).map(DocumentValue.bytes)
        case (date, .string(let text)): DocumentDate(iso8601: text).map(DocumentValue.date)
        case (number, .string(let text)): numericValue(of: text)
        case (literal, .object(let object)): .object(object)
        default: nil
        }
    }

    /// The number that a text stands for: a number as JSON writes it, or one that JSON has no form for.
    private static func numericValue(of text: String) -> DocumentValue? {
        switch text {
        case "nan": return .double(.nan)
        case "inf": return .double(.infinity)
        case "-inf": return .double(-.infinity)
        default:
            // The parser would skip white space around the number.
            guard text.utf8.allSatisfy({ $0 > 0x20 }), let value = try? JSONParser().parse(text),
                value.numberValue != nil
            else { return nil }
            return value
        }
    }

    /// The form that an object with this first name should have had.
    static func expectation(of name: String) -> String {
        switch name {
        case bytes: "{\"$bytes\":\"…\"} with one member, in standard base64 with padding"
        case date: "{\"$date\":\"2012-06-08T18:02:11.000+02:00\"} with one member, in ISO 8601, the zone optional"
        case number: "{\"$num\":\"…\"} with one member, a number as JSON writes it, nan, inf or -inf"
        case literal: "{\"$lit\":{…}} with one member, an object"
        default: "$bytes, $date, $num or $lit as the only name"
        }
    }
}
