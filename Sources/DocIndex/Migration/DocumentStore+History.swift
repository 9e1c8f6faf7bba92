extension DocumentStore {
    /// The names of the migrations that this store has seen, the oldest first; empty if there were none.
    public var completedMigrations: [String] { currentCatalog.migrations }

    /// The migration that this store is in the middle of; `nil` if it is in none.
    public var runningMigration: String? { currentCatalog.runningMigration }

    /// Whether ``finishSchemaChange(_:)`` has something to do: indexes that are being built, or entries to delete.
    public var hasPendingSchemaChange: Bool { currentCatalog.hasPendingWork }
}
