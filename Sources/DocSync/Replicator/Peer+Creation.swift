internal import DocIndex

extension Peer {
    /// Creates the database unless it exists.
    ///
    /// - Returns: whether it was created.
    /// - Throws: ``SyncError``, including if the peer does not create databases; ``TransportError``, ``MessageError``.
    @discardableResult
    package func createDatabase() async throws -> Bool {
        do {
            _ = try await information()
            return false
        } catch let error as PeerError where error.status == 404 {
            do {
                _ = try await object(.put, target())
                return true
            } catch let error as PeerError where error.status == 412 {
                // Somebody else was faster.
                return false
            } catch let error as PeerError where error.status == 404 || error.status == 405 {
                throw SyncError(
                    .databaseMissing,
                    "The peer has no such database and creates none (\(error)); create the collection there.")
            } catch {
                throw SyncError.of(error)
            }
        } catch {
            throw SyncError.of(error)
        }
    }
}
