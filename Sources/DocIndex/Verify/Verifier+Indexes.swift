internal import LevelKit

extension Verifier {
    /// Checks the entries of an index against the sum of the entries that the documents require.
    mutating func checkIndex(
        _ subject: Subject, of collection: LoadedCollection, expected: IndexSum
    ) throws {
        let index = subject.index
        if case .text = subject.loaded {
            return try checkText(index.number, index.definition.name, of: collection.name)
        }
        var actual = IndexSum()
        var cursor = try snapshot.cursor(in: .prefix(index.entryPrefix), cache: .bypass)
        while try cursor.advance() {
            actual.add(cursor.key, cursor.value)
            if actual.count % Self.reportInterval == 0 {
                try report("the index \(collection.name).\(index.definition.name)")
            }
        }
        result.entryCount += actual.count
        if actual.count != expected.count || actual.sum != expected.sum {
            try compareEntries(of: subject, collection: collection)
        }
        if let values = subject.loaded.valueIndex, values.definition.countsValues {
            try checkCounts(of: values, in: collection.name)
        }
    }

    private mutating func checkText(_ number: UInt32, _ name: String, of collection: String) throws {
        guard var text = texts.removeValue(forKey: number) else { return }
        try text.finish()
        result.entryCount += text.postingCount
        for finding in text.findings {
            result.report(
                finding.problem, in: collection, index: name, id: finding.id, row: finding.row, key: finding.key)
        }
    }

    /// Compares the counters of values with the existing entries.
    private mutating func checkCounts(of index: ValueIndex, in collection: String) throws {
        let name = "\(collection).\(index.definition.name)"
        let counters = IndexCounters(index: index)
        let stored = KeyRange.prefix(StoreKey.valueCounts.prefix(index.number))
        var expected = IndexSum()
        try counters.forEachCount(in: snapshot) { expected.add($0.span, $1.span) }
        var actual = IndexSum()
        var cursor = try snapshot.cursor(in: stored, cache: .bypass)
        while try cursor.advance() { actual.add(cursor.key, cursor.value) }
        if actual.count == expected.count, actual.sum == expected.sum { return }
        var known: Set<[UInt8]> = []
        try counters.forEachCount(in: snapshot) { key, value in
            known.insert(key)
            if try snapshot.value(forKey: key) != value {
                result.report(
                    "\(name): a counter of a value is wrong", in: collection, index: index.definition.name, key: key)
            }
        }
        var surplus = try snapshot.cursor(in: stored, cache: .bypass)
        while try surplus.advance() {
            let key = surplus.key.copied()
            if known.contains(key) { continue }
            result.report(
                "\(name): a counter exists for a value without entries", in: collection, index: index.definition.name,
                key: key)
        }
    }

    /// Finds entries that are missing, and entries that belong to no document.
    private mutating func compareEntries(of subject: Subject, collection: LoadedCollection) throws {
        let index = subject.index
        let name = "\(collection.name).\(index.definition.name)"
        let prefix = StoreKey.documents.prefix(collection.number)
        var cancellation = CancellationCheck()
        var expected: Set<[UInt8]> = []
        var documents = try snapshot.cursor(in: .prefix(prefix), cache: .bypass)
        while try documents.advance() {
            try cancellation.step()
            guard let row = StoreKey.row(in: documents.key, at: prefix.count),
                row <= subject.lastRow,
                let document = try? RowReader.document(record: documents.value, row: row, collection: collection)
            else { continue }
            try index.forEachEntryWithinLimit(of: document.content, row: row) { key, value in
                expected.insert(key)
                guard let stored = try snapshot.value(forKey: key) else {
                    result.report(
                        "\(name): an entry of the document \(document.id) is missing", in: collection.name,
                        index: index.definition.name, id: document.id, row: row, key: key)
                    return
                }
                if stored != value {
                    result.report(
                        "\(name): an entry does not match the document \(document.id)", in: collection.name,
                        index: index.definition.name, id: document.id, row: row, key: key)
                }
            }
        }
        var cursor = try snapshot.cursor(in: .prefix(index.entryPrefix), cache: .bypass)
        while try cursor.advance() {
            try cancellation.step()
            let key = cursor.key.copied()
            if expected.contains(key) { continue }
            result.report(
                "\(name): an entry belongs to no document", in: collection.name, index: index.definition.name,
                key: key)
        }
    }
}

extension DocumentIndex {
    /// Same as ``forEachEntry(of:row:_:)``, but treats a document that the index cannot contain as having no entries.
    fileprivate func forEachEntryWithinLimit(
        of document: DocumentObject, row: UInt64, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void
    ) throws {
        do {
            try forEachEntry(of: document, row: row, body)
        } catch is IndexTuples.LimitError {} catch is VectorField.Failure {}
    }
}

/// The entries of an index as one number: equal multisets have equal sums, and different ones almost always have
/// different sums.
struct IndexSum {
    var count = 0
    var sum: UInt64 = 0

    mutating func add(_ key: Span<UInt8>, _ value: Span<UInt8>) {
        count += 1
        var hasher = Hasher()
        unsafe key.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        hasher.combine(key.count)
        unsafe value.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        sum &+= UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
