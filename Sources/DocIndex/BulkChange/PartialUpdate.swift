/// An update of documents of which only some members are decoded: those that the update changes, those of the indexes
/// that it affects, and the ID.
struct PartialUpdate {
    /// The members that the update changes.
    private let changes: Changes
    /// The members to decode, and the numbers of their names. Documents have none of the others.
    private var neededNames: [String] = []
    private var neededNumbers: [Int] = []
    private let idField: String
    private let names: FieldNames
    private var checker = BodyChecker()

    /// The largest number of changed members. For each, all members of a document are visited.
    private static let limit = 16

    /// Returns `nil` if whole documents are needed: if a member is moved or assigned twice, because that can change the
    /// order of members, if an index may depend on any member, or if revisions of whole documents are hashed.
    init?(_ update: DocumentUpdate, in collection: LoadedCollection) {
        guard update.assignments.count <= Self.limit, !collection.isReplicated else { return nil }
        var changed: [String] = []
        for assignment in update.assignments {
            if case .move = assignment { return nil }
            guard case .name(let name)? = assignment.path.steps.first, !changed.containsBytes(of: name) else {
                return nil
            }
            changed.append(name)
        }
        var (needed, indexes) = ([collection.idField] + changed, [UInt32]())
        for entry in collection.indexes {
            guard let inputs = entry.definition.inputNames else { return nil }
            guard inputs.contains(where: changed.containsBytes(of:)) else { continue }
            indexes.append(entry.number)
            needed += inputs
        }
        let names = collection.names.current
        for name in needed {
            guard let number = names.number(of: name), !neededNumbers.contains(number) else { continue }
            neededNames.append(name)
            neededNumbers.append(number)
        }
        changes = Changes(names: changed, numbers: changed.map { names.number(of: $0) }, indexes: indexes)
        self.names = names
        idField = collection.idField
    }

    /// The members that the update changes.
    fileprivate struct Changes {
        let names: [String]
        /// The numbers of the names; `nil` for names that stored documents do not have.
        let numbers: [Int?]
        /// The numbers of the indexes that the update affects.
        let indexes: [UInt32]
    }

    /// A document with its needed members, and the places of all.
    struct Part {
        let document: Document
        fileprivate let members: BodyMembers
        fileprivate let changes: Changes

        /// Returns the edit of the stored record whose needed members become `content`.
        func edit(
            into content: DocumentObject, record: [UInt8], of target: Transaction.Target, row: UInt64
        ) -> Transaction.Edit {
            let splice = BodySplice(
                record: record, members: members, names: changes.names, numbers: changes.numbers, content: content)
            return Transaction.Edit(
                target: target, base: .stored(document, row: row), content: content,
                partial: (splice, changes.indexes))
        }
    }

    /// Returns the needed members of a document; `nil` if the whole document must be decoded, because it is corrupt or
    /// has names without numbers.
    mutating func part(of body: Span<UInt8>, sequence: UInt64) -> Part? {
        do throws(BodyError) {
            let members = try BodyMembers(body)
            try checker.check(members, in: body, names)
            var content = DocumentObject()
            for position in 0..<members.count {
                let member = members[position]
                guard let place = neededNumbers.firstIndex(of: member.number) else { continue }
                var cursor = BodyCursor(body, offset: member.start)
                content[neededNames[place]] = try BodyDecoder.readValue(&cursor, before: member.end, names)
            }
            guard let id = content[idField].flatMap(DocumentID.init) else { return nil }
            return Part(
                document: Document(id: id, content: content, sequence: sequence), members: members, changes: changes)
        } catch {
            return nil
        }
    }
}

extension IndexDefinition {
    /// The names of the top-level members that the entries of a document depend on; `nil` if they may depend on all.
    fileprivate var inputNames: [String]? {
        var names: [String] = []
        for path in inputPaths + (condition?.filter.paths ?? []) {
            guard case .name(let name)? = path.steps.first else { return nil }
            names.append(name)
        }
        return names
    }
}

extension [String] {
    fileprivate func containsBytes(of name: String) -> Bool { contains { $0.hasSameBytes(as: name) } }
}
