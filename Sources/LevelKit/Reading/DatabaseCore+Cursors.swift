extension DatabaseCore {
    /// Returns a cursor over a view. It gets a separate iterator as long as nothing was written after the view was
    /// taken.
    func cursor(of view: ReadView, in range: KeyRange, _ direction: KeyDirection, _ cache: Cursor.CacheUse) -> Cursor {
        if views.isNewest(view) {
            let iterator = makeIterator(fillsCache: cache == .fill)
            if views.isNewest(view) {
                return Cursor(core: self, iterator: iterator, range: range, direction: direction)
            }
            iterator.destroy()
        }
        return Cursor(core: self, iterator: BufferedIterator(view, of: views), range: range, direction: direction)
    }
}
