/// An ordered list of named values with unique names, like an object in JSON.
///
/// Names are compared by their UTF-8 bytes, so the composed and the decomposed "é" are two names. Every operation keeps
/// the order of members, and the order is stored. Objects with the same members in a different order are not equal.
///
/// As a collection, an object contains its members in order.
public struct DocumentObject: Sendable {
    /// A named value.
    public struct Member: Sendable {
        /// The name, unique within the object. Any string is allowed, including an empty one.
        public let name: String
        /// The value.
        public internal(set) var value: DocumentValue

        /// Creates a member.
        public init(name: String, value: DocumentValue) {
            self.name = name
            self.value = value
        }
    }

    private var members: [Member]
    /// Positions by name; empty for objects so small that a linear search is faster.
    private var names: NameIndex

    /// Creates an object without members.
    public init() {
        members = []
        names = NameIndex()
    }

    /// Creates an object with the given members in the given order.
    ///
    /// - Throws: ``DocumentObject/DuplicateNameError`` if two names have the same UTF-8 bytes.
    /// - Complexity: O(*n*).
    public init(uniqueMembers: some Sequence<(String, DocumentValue)>) throws(DocumentObject.DuplicateNameError) {
        self.init()
        for (name, value) in uniqueMembers {
            guard position(ofName: name) == nil else {
                throw DocumentObject.DuplicateNameError(name: name, position: count)
            }
            append(Member(name: name, value: value))
        }
    }

    /// Creates an object from members whose names are known to be unique.
    package init(distinctMembers members: [Member]) {
        self.init(unchecked: members, names: NameIndex())
        if members.count > NameIndex.linearSearchLimit {
            names.insert(lastOf: members.count) { members[$0].name }
        }
    }

    /// Creates an object from members known to be unique, with their index if there are many.
    init(unchecked members: [Member], names: NameIndex) {
        self.members = members
        self.names = names
    }
}

extension DocumentObject {
    /// An error that reports two members with the same name in one object.
    public struct DuplicateNameError: Error, Sendable, CustomStringConvertible {
        /// The duplicate name.
        public let name: String
        /// The position of its second occurrence, from 0.
        public let position: Int

        /// What is wrong and what to do, in one sentence.
        public var description: String {
            "The name \"\(name)\" occurs a second time, as member \(position + 1) of one object; "
                + "give each member a different name."
        }
    }
}

// MARK: - Access by name

extension DocumentObject {
    /// The value of the member `name`; `nil` if there is none.
    ///
    /// Setting a value replaces the existing value in place, or appends a new member. Setting `nil` removes the member
    /// and keeps the order of the others.
    ///
    /// - Complexity: O(*n*) up to 32 members, O(1) on average above; removal is O(*n*).
    public subscript(name: String) -> DocumentValue? {
        get {
            position(ofName: name).map { members[$0].value }
        }
        set {
            switch (position(ofName: name), newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil): remove(at: position)
            case (nil, let value?): append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Returns the position of the member `name`; `nil` if there is none.
    ///
    /// - Complexity: O(*n*) up to 32 members, O(1) on average above.
    public func position(ofName name: String) -> Int? {
        guard names.isEmpty else {
            return names.position(of: name) { members[$0].name }
        }
        let bytes = name.utf8Span.span
        for (position, member) in members.enumerated() where member.name.hasSameBytes(as: bytes) { return position }
        return nil
    }

    /// Removes the member `name` and returns its value; `nil` if there is none.
    ///
    /// - Complexity: O(*n*).
    @discardableResult
    public mutating func removeValue(forName name: String) -> DocumentValue? {
        guard let position = position(ofName: name) else { return nil }
        let value = members[position].value
        remove(at: position)
        return value
    }

    /// Returns the object with its members sorted by the UTF-8 bytes of their names.
    ///
    /// - Complexity: O(*n* log *n*).
    func sortedByName() -> DocumentObject {
        DocumentObject(unchecked: members.sorted { $0.name.precedesInBytes($1.name) }, names: NameIndex())
    }

    /// Whether the members are sorted by the UTF-8 bytes of their names.
    ///
    /// - Complexity: O(*n*).
    var isSortedByName: Bool {
        members.indices.dropFirst().allSatisfy { members[$0 - 1].name.precedesInBytes(members[$0].name) }
    }

    /// The members as a span, which gives access to names and values without reference counting.
    var memberSpan: Span<Member> {
        @_lifetime(borrow self)
        get { members.span }
    }

    /// Replaces the value of the member at `position`.
    mutating func setValue(_ value: DocumentValue, at position: Int) { members[position].value = value }

    // Inlined, because literals and parsers add one member after another.
    @inline(__always)
    private mutating func append(_ member: Member) {
        members.append(member)
        if !names.isEmpty || members.count > NameIndex.linearSearchLimit {
            names.insert(lastOf: members.count) { members[$0].name }
        }
    }

    private mutating func remove(at position: Int) {
        members.remove(at: position)
        // The members after the gap have moved, so the index is rebuilt.
        names = NameIndex()
        if members.count > NameIndex.linearSearchLimit {
            names.insert(lastOf: members.count) { members[$0].name }
        }
    }
}

// MARK: - Conformances

extension DocumentObject: RandomAccessCollection {
    /// The position of the first member.
    public var startIndex: Int { 0 }

    /// The position after the last member.
    public var endIndex: Int { members.count }

    /// The member at `position`.
    ///
    /// - Complexity: O(1).
    public subscript(position: Int) -> Member { members[position] }
}

extension DocumentObject: Hashable {
    /// Whether both objects have equal members in the same order.
    ///
    /// - Complexity: O(*n*).
    public static func == (left: DocumentObject, right: DocumentObject) -> Bool {
        guard left.hasSameNames(as: right) else { return false }
        var position = 0
        while position < left.count {
            guard left.value(at: position) == right.value(at: position) else { return false }
            position += 1
        }
        return true
    }

    // Separate from the recursion, whose frames must be small; see `DocumentValue.==`.
    private func value(at position: Int) -> DocumentValue { members[position].value }

    private func hasSameNames(as other: DocumentObject) -> Bool {
        count == other.count && zip(members, other.members).allSatisfy { $0.name.hasSameBytes(as: $1.name) }
    }

    /// Feeds the members into `hasher` in order.
    ///
    /// - Complexity: O(*n*).
    public func hash(into hasher: inout Hasher) {
        members.hash(into: &hasher)
    }
}

extension DocumentObject.Member: Hashable {
    /// Whether the names have the same UTF-8 bytes and the values are equal.
    public static func == (left: DocumentObject.Member, right: DocumentObject.Member) -> Bool {
        left.name.hasSameBytes(as: right.name) && left.value == right.value
    }

    /// Feeds the name and the value into `hasher`.
    public func hash(into hasher: inout Hasher) {
        name.hashBytes(into: &hasher)
        value.hash(into: &hasher)
    }
}

extension DocumentObject: ExpressibleByDictionaryLiteral {
    /// Creates an object with the members in the given order.
    ///
    /// - Precondition: no name occurs twice.
    public init(dictionaryLiteral elements: (String, DocumentValue)...) {
        self.init(literal: elements)
    }

    init(literal elements: [(String, DocumentValue)]) {
        do {
            try self.init(uniqueMembers: elements)
        } catch {
            preconditionFailure(error.description)
        }
    }
}
