extension DocumentStore {
    /// The names of the completed migrations, oldest first; empty if there are none.
    public var completedMigrations: [String] { currentCatalog.migrations }

    /// The name of the migration in progress; `nil` if there is none.
    public var runningMigration: String? { currentCatalog.runningMigration }

    /// Whether ``finishSchemaChange(_:)`` has work to do: indexes to build, or entries to delete.
    public var hasPendingSchemaChange: Bool { currentCatalog.hasPendingWork }
}
