internal import LevelKit

/// An update of documents of which only some members are decoded: those that the update changes, those of the indexes
/// that it affects, and the ID.
struct PartialUpdate {
    /// The members that the update changes.
    let changedNames: [String]
    /// The members to decode, and the numbers of their names. Documents have none of the others.
    private var neededNames: [String] = []
    private var neededNumbers: [Int] = []
    private let idField: String
    private let names: FieldNames
    private var members = BodyMembers()

    /// The largest number of changed members. For each, all members of a document are visited.
    private static let limit = 16

    /// Returns `nil` if whole documents are needed: if a member is moved or assigned twice, because that can change the
    /// order of members, or if an affected index may depend on any member.
    init?(_ update: DocumentUpdate, in collection: LoadedCollection) {
        guard update.assignments.count <= Self.limit else { return nil }
        var changed: [String] = []
        for assignment in update.assignments {
            if case .move = assignment { return nil }
            guard case .name(let name)? = assignment.path.steps.first,
                !changed.contains(where: { $0.hasSameBytes(as: name) })
            else { return nil }
            changed.append(name)
        }
        changedNames = changed
        idField = collection.idField
        names = collection.names.current
        var needed = [collection.idField] + changed
        for entry in collection.indexes {
            guard let inputs = entry.definition.inputNames() else { return nil }
            if inputs.contains(where: { input in changed.contains { $0.hasSameBytes(as: input) } }) { needed += inputs }
        }
        for name in needed {
            guard let number = names.number(of: name), !neededNumbers.contains(number) else { continue }
            neededNames.append(name)
            neededNumbers.append(number)
        }
    }

    /// Returns the needed members of a document; `nil` if the whole document must be decoded, because it is corrupt or
    /// has names without numbers. Members that are not needed are not checked.
    mutating func document(_ body: Span<UInt8>, sequence: UInt64) -> Document? {
        do throws(BodyError) {
            guard try members.read(body) else { return nil }
            var content = DocumentObject()
            for position in 0..<members.count {
                guard let place = neededNumbers.firstIndex(of: members.number(at: position)) else { continue }
                content[neededNames[place]] = try BodyMembers.value(members[position], in: body, names: names)
            }
            guard let id = content[idField].flatMap(DocumentID.init) else { return nil }
            return Document(id: id, content: content, sequence: sequence)
        } catch {
            return nil
        }
    }

    /// Returns the change of a stored record whose needed members become `content`.
    func splice(_ record: [UInt8], bodyStart: Int, into content: DocumentObject) -> BodySplice {
        BodySplice(
            record: record, bodyStart: bodyStart, names: changedNames, new: content.members(named: changedNames))
    }
}
