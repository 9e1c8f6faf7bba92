import DocumentModel
import TestSupport
import Testing

@Suite struct BodyFuzzTests {
    private static let paths: [FieldPath] = [
        "id", "gps.lat", "keywords[]", "people[].name", "gps[].lat[]", "keywords[][]", "\"\"", "é", "absent.x",
        "name.id.gps", "ExifIFD:ISO", "id.sha256", "name.bytes", "people.type", "gps.name", "keywords[].sha256",
    ]

    @Test func `Decoding a damaged body throws or returns a value, but never traps`() throws {
        var generator = DocumentGenerator()
        var (refusedCount, acceptedCount) = (0, 0)
        let caseCount = DocumentGenerator.isLong ? 5_000_000 : 100_000
        var names = FieldNames()
        while refusedCount + acceptedCount < caseCount {
            if names.count > 300 { names = FieldNames() }
            let body = try BodyEncoder.encode(.object(generator.object()), names: &names)
            for _ in 0..<20 {
                let damaged = damage(body, with: &generator)
                // Reading single values must be as safe.
                if let reader = try? BodyReader(damaged.span, names: names) {
                    _ = try? reader.value(at: Self.paths[generator.number(below: Self.paths.count)])
                }
                do throws(BodyError) {
                    let value = try BodyDecoder.decode(damaged, names: names)
                    acceptedCount += 1
                    // An accepted body is the body of its value, except for the bits of a NaN.
                    let nameCount = names.count
                    let again = try BodyEncoder.encode(value, names: &names)
                    #expect(again.count == damaged.count, "seed \(generator.seed)")
                    #expect(names.count == nameCount, "seed \(generator.seed)")
                } catch {
                    refusedCount += 1
                    #expect(error.offset <= damaged.count, "seed \(generator.seed)")
                }
            }
        }
        // If the damage were always fatal or always harmless, nothing would be tested.
        #expect(refusedCount > caseCount / 10)
        #expect(acceptedCount > caseCount / 100)
    }

    private func damage(_ body: [UInt8], with generator: inout DocumentGenerator) -> [UInt8] {
        var bytes = body
        for _ in 0...generator.number(below: 3) {
            let position = generator.number(below: bytes.count)
            switch generator.number(below: 6) {
            case 0: bytes[position] = UInt8(truncatingIfNeeded: generator.next())
            case 1: bytes[position] ^= 1 << UInt8(generator.number(below: 8))
            case 2:
                bytes[position] =
                    [0, 1, 3, 7, 8, 9, 10, 11, 0x10, 0x13, 0x40, 0x7f, 0x80, 0xff][
                        generator.number(below: 14)]
            case 3: bytes.insert(UInt8(truncatingIfNeeded: generator.next()), at: position)
            case 4: if bytes.count > 1 { bytes.remove(at: position) }
            default: bytes.insert(contentsOf: bytes[position...].prefix(generator.number(below: 12)), at: position)
            }
        }
        return bytes
    }

    @Test func `A body truncated anywhere throws`() throws {
        var generator = DocumentGenerator()
        for _ in 0..<200 {
            var names = FieldNames()
            let body = try BodyEncoder.encode(generator.value(), names: &names)
            for count in 0..<body.count {
                #expect(throws: BodyError.self, "seed \(generator.seed), \(count) bytes") {
                    try BodyDecoder.decode(Array(body[..<count]), names: names)
                }
            }
        }
    }

    @Test func `A body followed by extra bytes throws`() throws {
        var generator = DocumentGenerator()
        for _ in 0..<200 {
            var names = FieldNames()
            let body = try BodyEncoder.encode(generator.value(), names: &names)
            let error = #expect(throws: BodyError.self) {
                try BodyDecoder.decode(body + [UInt8(truncatingIfNeeded: generator.next())], names: names)
            }
            #expect(error?.code == .trailingBytes, "seed \(generator.seed)")
        }
    }
}
