/// The values that an index stores beside its keys.
///
/// For each path, a varint with the count of values that it leads to, and for each value a varint with the length of
/// its body, and the body.
enum CoveredValues {
    /// The bytes of the values at some paths of a document.
    ///
    /// - Throws: ``BodyError`` for a document that could not be stored.
    static func encode(_ paths: [FieldPath], of document: DocumentObject) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for path in paths {
            var bodies: [[UInt8]] = []
            try path.forEachElement(in: document) { value throws(BodyError) in
                bodies.append(try BodyEncoder.encode(value))
            }
            Varint.append(UInt64(bodies.count), to: &bytes)
            for body in bodies {
                Varint.append(UInt64(body.count), to: &bytes)
                bytes += body
            }
        }
        return bytes
    }

    /// The values for each of `count` paths; empty where a path leads nowhere.
    ///
    /// `nil` if the bytes are no such values.
    static func decode(_ bytes: [UInt8], count: Int) -> [[DocumentValue]]? {
        var offset = 0
        var result: [[DocumentValue]] = []
        for _ in 0..<count {
            guard let valueCount = Varint.read(bytes.span, &offset), valueCount <= UInt64(bytes.count) else {
                return nil
            }
            var values: [DocumentValue] = []
            for _ in 0..<valueCount {
                guard let length = Varint.read(bytes.span, &offset), length <= UInt64(bytes.count - offset),
                    let value = try? BodyDecoder.decode(Array(bytes[offset..<offset + Int(length)]))
                else { return nil }
                values.append(value)
                offset += Int(length)
            }
            result.append(values)
        }
        return offset == bytes.count ? result : nil
    }
}
