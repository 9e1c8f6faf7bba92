/// The values that an index stores in addition to its keys.
///
/// For each path, a varint with the number of its values, then for each value a varint with the length of its JSON,
/// followed by compact JSON in extended notation. JSON is used instead of the body format, so that an entry can be read
/// without the name table that bodies depend on.
enum CoveredValues {
    /// Encodes the values at some paths of a document.
    ///
    /// - Complexity: O(*n*) in the size of the values.
    static func encode(_ paths: [FieldPath], of document: DocumentObject) -> [UInt8] {
        var bytes: [UInt8] = []
        for path in paths {
            var texts: [[UInt8]] = []
            path.forEachElement(in: document) { value in
                var text: [UInt8] = []
                value.writeJSON(to: &text, JSONWriter(notation: .dump))
                texts.append(text)
            }
            Varint.append(UInt64(texts.count), to: &bytes)
            for text in texts {
                Varint.append(UInt64(text.count), to: &bytes)
                bytes += text
            }
        }
        return bytes
    }

    /// Decodes the values of `count` paths; a path without values gives an empty array.
    ///
    /// Returns `nil` if the bytes are invalid or a value is nested too deeply for JSON. In that case, read the
    /// document.
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
                    let value = try? JSONParser(notation: .dump).parse(Array(bytes[offset..<offset + Int(length)]))
                else { return nil }
                values.append(value)
                offset += Int(length)
            }
            result.append(values)
        }
        return offset == bytes.count ? result : nil
    }
}
