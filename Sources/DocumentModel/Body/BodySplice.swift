/// A change of some members of a stored document. The other members keep their encoded form.
package struct BodySplice {
    /// The stored record, which ends with the body. ``BodyChecker`` has accepted the body.
    package let record: [UInt8]
    /// The members of the stored body.
    let members: BodyMembers
    /// The names of the members that are set or removed.
    package let names: [String]
    /// The numbers of these names in the stored body; `nil` for names that it cannot contain.
    let numbers: [Int?]
    /// The members with these names after the change, possibly with others. New ones follow the others of the document
    /// in this order, and missing ones are removed.
    let content: DocumentObject

    package init(record: [UInt8], members: BodyMembers, names: [String], numbers: [Int?], content: DocumentObject) {
        self.record = record
        self.members = members
        self.names = names
        self.numbers = numbers
        self.content = content
    }

    /// The stored body.
    var body: Span<UInt8> {
        @_lifetime(borrow self)
        get { record.span.extracting(last: members.end) }
    }

    /// Returns whether the stored member with a number is set or removed.
    func changes(_ number: Int) -> Bool { numbers.contains(number) }

    /// Returns the new value of the stored member with a number; `nil` if it is removed.
    func value(ofNumber number: Int) -> DocumentValue? {
        numbers.firstIndex(of: number).flatMap { content[names[$0]] }
    }

    /// Returns whether the stored member at a position is not removed.
    func isKept(_ position: Int) -> Bool {
        let number = members[position].number
        return !changes(number) || value(ofNumber: number) != nil
    }

    /// The members that the stored document does not have.
    var added: DocumentObject {
        var added = DocumentObject()
        for member in content {
            guard let place = names.firstIndex(where: { $0.hasSameBytes(as: member.name) }) else { continue }
            if let number = numbers[place], members.contains(number: number) { continue }
            added[member.name] = member.value
        }
        return added
    }
}
