internal import LevelKit

extension Verifier {
    /// Compares the copies of the catalog and of member names with the originals.
    mutating func checkCopies() throws {
        var copies = try snapshot.cursor(in: .prefix([StoreKey.copies.rawValue]), cache: .bypass)
        while try copies.advance() {
            let key = Array(copies.key.copied().dropFirst())
            guard let subject = copiedSubject(key) else {
                result.report("there is a copy of an unknown record", key: copies.key.copied())
                continue
            }
            let original = try snapshot.value(forKey: key)
            if original == nil {
                result.report("\(subject.text) is lost, and its copy in use", in: subject.collection, key: key)
            } else if original != copies.value.copied() {
                result.report(
                    "\(subject.text) differs from its copy", in: subject.collection, key: copies.key.copied())
            }
        }
    }

    /// The description of a copy's original; `nil` for anything else.
    private func copiedSubject(_ key: [UInt8]) -> (text: String, collection: String?)? {
        if key == StoreKey.catalogKey { return ("the catalog", nil) }
        for collection in catalog.collections where key.starts(with: StoreKey.names.prefix(collection.number)) {
            return ("\(collection.name): a record of field names", collection.name)
        }
        return nil
    }
}
