/// The exclusive right of a higher layer to manage a database, released when the value is destroyed.
///
/// Two document stores over one database would keep separate counts of rows and commits.
package final class ExclusiveOwnership: Sendable {
    private let database: Database

    /// Adopts a database.
    ///
    /// - Parameter onClose: called once when the database is closed, before any other step.
    /// - Returns: `nil` if another layer already manages the database.
    package init?(of database: Database, onClose: @escaping @Sendable () -> Void) {
        guard database.core.adopt(onClose: onClose) else { return nil }
        self.database = database
    }

    deinit { database.core.disown() }
}
