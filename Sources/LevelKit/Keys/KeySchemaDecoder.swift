/// Reads the components of a key in order.
@usableFromInline
struct KeySchemaDecoder: ~Escapable {
    fileprivate var decoder: TupleDecoder
    private let name: String
    private let version: Int
    private let components: [KeyComponentDescription]
    /// The number of components read so far.
    private var count = 0

    @usableFromInline
    @_lifetime(copy bytes)
    init(
        _ bytes: Span<UInt8>, from offset: Int, name: String, version: Int, _ components: [KeyComponentDescription]
    ) {
        decoder = TupleDecoder(bytes, from: offset)
        self.name = name
        self.version = version
        self.components = components
    }

    /// The schema, for errors.
    fileprivate var title: String { "\(name) v\(version)" }

    /// Returns the component to read next.
    fileprivate mutating func nextComponent() -> KeyComponentDescription {
        defer { count += 1 }
        return components[count]
    }

    /// Throws if anything follows the last component.
    @usableFromInline
    func requireEnd() throws(KeySchemaError) {
        guard decoder.isAtEnd else { throw .trailingBytes(after: title, offset: decoder.offset) }
    }
}

extension KeyElementCodable {
    /// Reads the next component.
    @usableFromInline
    static func decode(from key: inout KeySchemaDecoder) throws(KeySchemaError) -> Self {
        let component = key.nextComponent()
        let offset = key.decoder.offset
        let value: Self?
        do throws(TupleError) {
            switch component.direction {
            case .ascending: value = try decodeKeyElement(from: &key.decoder)
            case .descending:
                value = try key.decoder.decodeDescending { (decoder: inout TupleDecoder) throws(TupleError) in
                    try decodeKeyElement(from: &decoder)
                }
            }
        } catch {
            // The element is a valid integer, but its type is too small for it.
            guard error.code == .outOfRange else {
                throw .malformed(component: component.name, of: key.title, cause: error)
            }
            value = nil
        }
        guard let value else { throw .invalidValue(component: component, of: key.title, offset: offset) }
        return value
    }
}
