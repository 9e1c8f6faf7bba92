/// The right of a layer above to be the only one that manages a database; given back when the value ends.
///
/// Two document stores over one database would each count rows and commits for themselves.
package final class Adoption: Sendable {
    private let database: Database

    /// Adopts a database.
    ///
    /// - Parameter onClose: called once when the database is closed, before anything else is done.
    /// - Returns: `nil` if another layer manages it already.
    package init?(of database: Database, onClose: @escaping @Sendable () -> Void) {
        guard database.core.adopt(onClose: onClose) else { return nil }
        self.database = database
    }

    deinit { database.core.disown() }
}
