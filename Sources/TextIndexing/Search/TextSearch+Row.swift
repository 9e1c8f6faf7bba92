extension TextSearch {
    /// Returns whether the document of a row matches the query.
    ///
    /// - Complexity: one lookup of the row, and for each term the blocks that may contain its slot.
    func finds(_ row: UInt64, _ query: TextQuery) throws -> Bool { try finds(row, resolved(query)) }

    /// Same as ``finds(_:_:)-(_,TextQuery)``, for a resolved query.
    package func finds(_ row: UInt64, _ query: ResolvedQuery) throws -> Bool {
        guard let (slot, _) = try view.structure.slot(ofRow: row, index, in: reader),
            !view.isDeleted(slot)
        else { return false }
        try prepare(query)
        guard let part = part(of: slot), let scorer = try scorer(query, part: part) else { return false }
        return try scorer.advance(to: slot) == slot
    }
}
