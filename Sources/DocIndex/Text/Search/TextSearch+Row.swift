extension TextSearch {
    /// Whether the query finds the document of a row.
    ///
    /// - Complexity: one lookup of the row, and of each term those blocks that can hold it.
    func finds(_ row: UInt64, _ query: TextQuery) throws -> Bool {
        guard let (slot, _) = try TextWriter.slot(ofRow: row, index, view.structure, in: reader), !view.isDead(slot)
        else { return false }
        try prepare(query)
        guard let part = part(of: slot), let matcher = try matcher(query, part: part) else { return false }
        return try matcher.advance(to: slot) == slot
    }
}
