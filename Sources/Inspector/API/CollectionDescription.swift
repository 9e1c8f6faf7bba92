internal import DocIndex

/// Collections and their indexes as JSON.
enum CollectionDescription {
    static func json(_ collection: ReadableCollection, of store: ReadableStore) throws -> DocumentObject {
        let definition = collection.definition
        let sizes = try collection.indexSizes()
        let failed = store.failedIndexes.filter { $0.collection.utf8.elementsEqual(collection.name.utf8) }
        return [
            "name": .string(collection.name), "idField": .string(definition.idField),
            "count": .int(Int64(try collection.count())),
            "indexes": .array(
                definition.indexes.map { index in
                    let reason = failed.first { $0.index.utf8.elementsEqual(index.name.utf8) }?.reason
                    return json(
                        index, byteCount: sizes.first { $0.name.utf8.elementsEqual(index.name.utf8) }?.byteCount,
                        failure: reason)
                }),
        ]
    }

    private static func json(_ index: IndexDefinition, byteCount: UInt64?, failure: String?) -> DocumentValue {
        var object: DocumentObject = [
            "name": .string(index.name), "kind": .string(index.kind.rawValue),
            "fields": .array(index.fields.map { .string($0.description) }), "isUnique": .bool(index.isUnique),
        ]
        if let byteCount { object["bytes"] = .int(Int64(clamping: byteCount)) }
        if let failure { object["failure"] = .string(failure) }
        return .object(object)
    }
}
