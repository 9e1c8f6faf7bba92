extension KeyPath where Root: QueryableDocument {
    /// A sort key that puts smaller values first.
    public var ascending: Query.SortKey { .ascending(Root.path(self)) }
    /// A sort key that puts larger values first.
    public var descending: Query.SortKey { .descending(Root.path(self)) }
}
