internal import LevelKit

/// An index of vectors that a program has computed, such as the embeddings of pictures.
///
/// `V index 1a row` → the code of the vector; see ``VectorCode``. `V index 1b row` → the vector, normalized. Short
/// vectors have no code, because reading them takes no longer. Documents whose field is missing or `null` have no
/// entries. Both entries depend on the document alone.
struct VectorIndex: DocumentIndex {
    /// The kind of an entry: the byte before the row. No ordered value has it.
    enum Part: UInt8, CaseIterable {
        case code = 0x1a
        case vector = 0x1b
    }

    /// Vectors with fewer dimensions have no code.
    static let leastDimensionsOfCodes = 64

    let number: UInt32
    let definition: IndexDefinition
    let entryPrefix: [UInt8]
    /// The codes of the vectors; `nil` for short vectors.
    let code: VectorCode?
    private let field: VectorField?

    init(number: UInt32, definition: IndexDefinition) {
        self.number = number
        self.definition = definition
        entryPrefix = StoreKey.values.prefix(number)
        let dimensions = definition.dimensions ?? 0
        code = dimensions < Self.leastDimensionsOfCodes ? nil : VectorCode(dimensions: dimensions)
        field = definition.fields.first.map { VectorField(path: $0, dimensions: dimensions) }
    }

    /// The number of dimensions of each vector.
    var dimensions: Int { definition.dimensions ?? 0 }

    /// - Throws: Errors of `body`; ``VectorField/Failure`` for a document whose field is not a vector.
    func forEachEntry(
        of document: DocumentObject, row: UInt64, _ body: (_ key: [UInt8], _ value: [UInt8]) throws -> Void
    ) throws {
        guard definition.holds(document), let vector = try field?.unitVector(in: document) else { return }
        if let code { try body(key(.code, row: row), code.code(of: vector)) }
        try body(key(.vector, row: row), Self.bytes(of: vector))
    }

    /// - Throws: if the document cannot be in the index.
    func requireVector(in document: DocumentObject) throws(VectorField.Failure) {
        if definition.holds(document) { _ = try field?.unitVector(in: document) }
    }

    func update(old: DocumentObject?, new: DocumentObject?, row: UInt64, in changes: inout IndexChanges) throws {
        // A document that was stored when the index did not exist may have a field that is not a vector. It has no
        // entries, and must not prevent its correction.
        let readable = old.flatMap { isReadable($0) ? $0 : nil }
        try updateEntries(old: readable, new: new, row: row, in: &changes)
    }

    private func isReadable(_ document: DocumentObject) -> Bool {
        do throws(VectorField.Failure) {
            try requireVector(in: document)
            return true
        } catch {
            return false
        }
    }
}

// MARK: - Entries

extension VectorIndex {
    /// Returns the key of an entry.
    func key(_ part: Part, row: UInt64) -> [UInt8] {
        var key = entryPrefix + [part.rawValue]
        StoreKey.appendRow(row, to: &key)
        return key
    }

    /// The range of all entries of a kind.
    func range(_ part: Part) -> KeyRange { .prefix(entryPrefix + [part.rawValue]) }

    /// Returns the row at the end of the key of an entry; `nil` if the key is not an entry of this index.
    func row(of key: Span<UInt8>) -> UInt64? { StoreKey.row(in: key, at: entryPrefix.count + 1) }

    /// Returns the normalized vector of a row; `nil` if the document of the row has none.
    func unitVector(of row: UInt64, in reader: some KeyValueReader) throws -> [Float]? {
        guard let bytes = try reader.value(forKey: key(.vector, row: row)) else { return nil }
        guard bytes.count == 4 * dimensions else { throw damaged }
        let vector = Self.floats(bytes.span)
        // Its length is 1.
        guard let square = product(of: vector, bytes.span), square > 0.99 else { throw damaged }
        return vector
    }

    /// The error for an entry that cannot be read.
    var damaged: DocIndexError {
        DocIndexError(.corruption, "the index \(definition.name) contains an unreadable entry; run verify")
    }

    private static func bytes(of vector: [Float]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 * vector.count)
        for number in vector {
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> shift))
            }
        }
        return bytes
    }

    /// Returns the numbers in bytes whose count is a multiple of four.
    static func floats(_ bytes: Span<UInt8>) -> [Float] {
        (0..<bytes.count / 4).map { place in
            var bits: UInt32 = 0
            for index in 0..<4 { bits |= UInt32(bytes[4 * place + index]) << (8 * UInt32(index)) }
            return Float(bitPattern: bits)
        }
    }

    /// Returns the product of a query and a stored vector, both of the length 1; `nil` if the bytes are no such vector.
    func product(of query: [Float], _ bytes: Span<UInt8>) -> Float? {
        guard query.count == dimensions, bytes.count == 4 * dimensions else { return nil }
        var sums = SIMD8<Float>()
        var rest: Float = 0
        let whole = dimensions & ~7
        // Every processor that Swift supports stores numbers with the least significant byte first, as the index does.
        unsafe query.withUnsafeBytes { query in
            unsafe bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: 4 * whole, by: 32) {
                    let a = unsafe query.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                    let b = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                    sums += a * b
                }
                for offset in stride(from: 4 * whole, to: 4 * dimensions, by: 4) {
                    let a = unsafe query.loadUnaligned(fromByteOffset: offset, as: Float.self)
                    rest += unsafe a * bytes.loadUnaligned(fromByteOffset: offset, as: Float.self)
                }
            }
        }
        let product = sums.sum() + rest
        // False also for NaN. Rounding can exceed 1.
        guard abs(product) < 1.01 else { return nil }
        return min(1, max(-1, product))
    }
}
