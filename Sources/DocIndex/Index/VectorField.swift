/// The field of a vector index, and how vectors are written in it: as an array of numbers, or as the bytes of
/// little-endian 32-bit floats, in base64 or as a value of the kind bytes.
struct VectorField {
    /// Why a value is not a vector with the declared number of dimensions.
    struct Failure: Error, Equatable {
        /// What is wrong, without the subject.
        let reason: String
        let dimensions: Int

        /// What a vector must be.
        var expected: String { "\(dimensions) finite numbers that are not all zero" }
    }

    let path: FieldPath
    let dimensions: Int

    /// Returns the vector of a document with the length 1; `nil` if the field is missing or `null`.
    func unitVector(in document: DocumentObject) throws(Failure) -> [Float]? {
        switch path.value(in: document) {
        case nil, .null: nil
        case .array(let elements): try Self.unit(numbers(elements), dimensions: dimensions)
        case .bytes(let bytes): try Self.unit(numbers(bytes.span), dimensions: dimensions)
        case .string(let text): try Self.unit(numbers(base64: text), dimensions: dimensions)
        case .some(let value): throw failure("is of the kind \(value.kind)")
        }
    }

    /// Returns a vector with the same direction and the length 1. The sum has the same order on every machine, so the
    /// result has the same bits.
    static func unit(_ vector: [Float], dimensions: Int) throws(Failure) -> [Float] {
        func failure(_ reason: String) -> Failure { Failure(reason: reason, dimensions: dimensions) }
        guard vector.count == dimensions else { throw failure("has \(vector.count) dimensions") }
        var square = 0.0
        for number in vector {
            guard number.isFinite else { throw failure("has a number that is not finite as a 32-bit float") }
            square += Double(number) * Double(number)
        }
        guard square > 0 else { throw failure("has only zeros") }
        let length = square.squareRoot()
        return vector.map { Float(Double($0) / length) }
    }

    private func numbers(_ elements: [DocumentValue]) throws(Failure) -> [Float] {
        var vector: [Float] = []
        vector.reserveCapacity(elements.count)
        for element in elements {
            switch element {
            case .double(let number): vector.append(Float(number))
            case .int(let number): vector.append(Float(number))
            default: throw failure("has an element of the kind \(element.kind)")
            }
        }
        return vector
    }

    private func numbers(base64 text: String) throws(Failure) -> [Float] {
        let bytes: [UInt8]
        do throws(Base64.DecodingError) {
            bytes = try Base64.decode(text.utf8Span.span)
        } catch {
            throw failure("is a string that is not base64 (\(error.message))")
        }
        return try numbers(bytes.span)
    }

    private func numbers(_ bytes: Span<UInt8>) throws(Failure) -> [Float] {
        guard bytes.count % 4 == 0 else { throw failure("has \(bytes.count) bytes, which is not a multiple of 4") }
        return VectorIndex.floats(bytes)
    }

    private func failure(_ reason: String) -> Failure { Failure(reason: reason, dimensions: dimensions) }
}
