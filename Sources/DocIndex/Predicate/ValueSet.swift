/// The values of which one is asked for: a few are compared one by one, many are looked up.
struct ValueSet: Sendable {
    private let few: [DocumentValue]
    private let encoded: Set<[UInt8]>

    init(_ values: [DocumentValue]) {
        guard values.count > 4 else {
            few = values
            encoded = []
            return
        }
        // Equal scalars have equal bytes; of arrays and objects an index knows the kind alone.
        few = values.filter { $0.arrayValue != nil || $0.objectValue != nil }
        encoded = Set(
            values.filter { $0.arrayValue == nil && $0.objectValue == nil }.map { OrderedValue.encoded($0) })
    }

    func contains(_ value: DocumentValue) -> Bool {
        if few.contains(where: { ValueOrder.compare(value, $0) == 0 }) { return true }
        return !encoded.isEmpty && encoded.contains(OrderedValue.encoded(value))
    }
}
