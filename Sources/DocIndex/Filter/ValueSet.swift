/// The values of an IN list. A few values are compared one by one, many are hashed.
struct ValueSet: Sendable {
    private let few: [DocumentValue]
    private let encoded: Set<[UInt8]>

    init(_ values: [DocumentValue]) {
        guard values.count > 4 else {
            few = values
            encoded = []
            return
        }
        few = []
        // Equal values have equal bytes.
        encoded = Set(values.map { OrderedValue.encoded($0) })
    }

    func contains(_ value: DocumentValue) -> Bool {
        if encoded.isEmpty { return few.contains { ValueOrder.compare(value, $0) == 0 } }
        return encoded.contains(OrderedValue.encoded(value))
    }
}
