/// The part of a live result kept in memory. Applies changed documents to it; independent of the store.
struct LiveWindow {
    /// A document and its position in the sort order.
    struct Member: Sendable {
        let position: [UInt8]
        let document: Document
    }

    /// The members, in order.
    private(set) var members: [Member] = []
    private var positions: [DocumentID: [UInt8]] = [:]
    private let limit: Int
    /// Whether there may be more results after the last member.
    private(set) var hasMore = false
    private(set) var changes: [DocumentCollection.LiveQuery.Change] = []

    init(limit: Int?) { self.limit = limit ?? .max }

    /// The number of members to look up after the last one; 0 if there are no more results.
    var missingCount: Int { hasMore && members.count < limit ? limit - members.count : 0 }

    /// Returns the changes since the last call.
    mutating func takeChanges() -> [DocumentCollection.LiveQuery.Change] {
        defer { changes = [] }
        return changes
    }

    /// Applies the new version of a document; `nil` if it no longer matches.
    mutating func replace(_ id: DocumentID, by new: Member?) {
        let old = positions[id].flatMap(index)
        // Results after the last member are unknown, so no document can be inserted there.
        let isInside =
            new.map { new in
                !hasMore || members.last.map { new.position.lexicographicallyPrecedes($0.position) } ?? false
            } ?? false
        switch (old, new) {
        case (nil, let new?) where isInside: insert(new)
        case (nil, _): break
        case (let old?, let new?) where isInside || old == members.count - 1 && isLast(new, replacing: old):
            move(from: old, to: new)
        case (let old?, let new):
            // It may still match, after the end of the window.
            if new != nil { hasMore = true }
            remove(at: old)
        }
        trim()
    }

    /// Adds results that were found after the last member.
    mutating func append(_ found: [Member], hasMore: Bool) {
        for member in found { insert(member) }
        self.hasMore = hasMore
        trim()
    }

    /// Replaces all members by the first results of a query, up to the limit.
    mutating func replaceAll(by found: [Member], hasMore: Bool) {
        let wanted = Set(found.map(\.document.id))
        for place in members.indices.reversed() where !wanted.contains(members[place].document.id) {
            remove(at: place)
        }
        for member in found {
            if let old = positions[member.document.id].flatMap(index) {
                if members[old].document != member.document || members[old].position != member.position {
                    move(from: old, to: member)
                }
            } else {
                insert(member)
            }
        }
        self.hasMore = hasMore
    }

    /// Returns whether the last member keeps its position. If it moves toward the end, unknown results may precede it.
    private func isLast(_ new: Member, replacing old: Int) -> Bool {
        !new.position.lexicographicallyPrecedes(members[old].position) && members[old].position == new.position
    }

    private mutating func move(from old: Int, to new: Member) {
        members.remove(at: old)
        let place = place(of: new.position)
        members.insert(new, at: place)
        positions[new.document.id] = new.position
        changes.append(place == old ? .updated(new.document, at: old) : .moved(new.document, from: old, to: place))
    }

    private mutating func insert(_ member: Member) {
        let place = place(of: member.position)
        members.insert(member, at: place)
        positions[member.document.id] = member.position
        changes.append(.inserted(member.document, at: place))
    }

    private mutating func remove(at place: Int) {
        let id = members.remove(at: place).document.id
        positions[id] = nil
        changes.append(.removed(id, at: place))
    }

    private mutating func trim() {
        while members.count > limit {
            remove(at: members.count - 1)
            hasMore = true
        }
    }

    private func index(of position: [UInt8]) -> Int? {
        let place = place(of: position)
        return place < members.count && members[place].position == position ? place : nil
    }

    /// Returns the first index whose member does not precede a position.
    private func place(of position: [UInt8]) -> Int {
        var lower = 0
        var upper = members.count
        while lower < upper {
            let middle = (lower + upper) / 2
            if members[middle].position.lexicographicallyPrecedes(position) {
                lower = middle + 1
            } else {
                upper = middle
            }
        }
        return lower
    }
}
