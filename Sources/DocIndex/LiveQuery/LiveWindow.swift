/// The part of a live result that is kept, and what changed documents do to it. Knows nothing of the store.
struct LiveWindow {
    /// A document with its place in the order.
    struct Member: Sendable {
        let position: [UInt8]
        let document: Document
    }

    /// In order.
    private(set) var members: [Member] = []
    private var positions: [DocumentID: [UInt8]] = [:]
    private let limit: Int
    /// Whether there may be more results behind the last member.
    private(set) var hasMore = false
    private(set) var changes: [ResultChange] = []

    init(limit: Int?) { self.limit = limit ?? .max }

    /// Members that are missing where there may be more results behind the last.
    var missingCount: Int { hasMore && members.count < limit ? limit - members.count : 0 }

    /// The steps since the last call.
    mutating func takeChanges() -> [ResultChange] {
        defer { changes = [] }
        return changes
    }

    /// Takes the new form of a document into account; `nil` if it is no result any more.
    mutating func replace(_ id: DocumentID, by new: Member?) {
        let old = positions[id].flatMap(index)
        // Behind the last member nothing is known, so nothing can be put in there.
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
            // It may still be a result, behind the window.
            if new != nil { hasMore = true }
            remove(at: old)
        }
        trim()
    }

    /// Adds results that were found behind the last member.
    mutating func append(_ found: [Member], hasMore: Bool) {
        for member in found { insert(member) }
        self.hasMore = hasMore
        trim()
    }

    /// Whether the last member stays the last one known: nothing is known between it and its new place otherwise.
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

    /// The first place whose member does not come before a position.
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
