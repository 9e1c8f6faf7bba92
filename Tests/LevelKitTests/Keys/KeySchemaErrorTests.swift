import LevelKit
import Testing

private enum Kind: String, KeyComponentValue { case photo, video }

@Suite struct KeySchemaErrorTests {
    private static let schema = KeySchema(
        "media", KeyComponent<Kind>("kind"), KeyComponent<Int8>("year", .descending), KeyComponent<Bool?>("raw"))

    private func error(_ key: [UInt8]) throws -> KeySchemaError {
        do throws(KeySchemaError) {
            _ = try Self.schema.unpack(key)
        } catch {
            return error
        }
        throw MissingError()
    }

    private struct MissingError: Error {}

    @Test func `The error for a key of another shape names the component and the position`() throws {
        #expect(try Self.schema.unpack(Tuple(["photo", .descending(19), true]).packed()) == (.photo, 19, true))
        let cases: [(Tuple, KeySchemaError.Code, String?, Int, TupleError.Code?)] = [
            ([], .malformed, "kind", 0, .endOfTuple),
            ([7], .malformed, "kind", 0, .typeMismatch),
            (["secret"], .invalidValue, "kind", 0, nil),
            (["photo"], .malformed, "year", 7, .endOfTuple),
            (["photo", 19, true], .malformed, "year", 7, .typeMismatch),
            (["photo", .descending("x"), true], .malformed, "year", 8, .typeMismatch),
            (["photo", .descending(128), true], .invalidValue, "year", 7, nil),
            (["photo", .descending(.integer(UInt64.max)), true], .invalidValue, "year", 7, nil),
            (["photo", .descending(19), "true"], .malformed, "raw", 10, .typeMismatch),
            (["photo", .descending(19), nil, 1], .trailingBytes, nil, 11, nil),
        ]
        for (tuple, code, component, offset, cause) in cases {
            let error = try error(tuple.packed())
            #expect(error.code == code, "\(tuple)")
            #expect(error.component == component, "\(tuple)")
            #expect(error.offset == offset, "\(tuple)")
            #expect(error.cause?.code == cause, "\(tuple)")
            #expect(error.description.contains("media v1"))
            #expect(!error.description.contains("secret"))
        }
    }

    @Test func `The message of a key schema error says what to check`() throws {
        #expect(
            try error(Tuple([7]).packed()).description
                == "Byte 0 of a key: the component kind of the key schema media v1 cannot be read. The key was written "
                + "with a different schema, or is damaged. (The next element is an integer, not a string. Read it as that "
                + "type, or with decodeElement().)")
        #expect(
            try error(Tuple(["secret"]).packed()).description
                == "Byte 0 of a key: the component kind of the key schema media v1 has a value that its type (stored as "
                + "string) does not have. The key was written by a program that knew more values.")
    }

    @Test func `Random bytes throw, or decode to a key that packs to readable bytes`() throws {
        var generator = TupleGenerator(seed: TupleTestPlan.seed)
        let schema = KeySchema(
            "s", KeyComponent<String>("a", .descending), KeyComponent<UInt16?>("b"),
            KeyComponent<[UInt8]>("c", .descending),
            KeyComponent<Double>("d"))
        var readCount = 0
        for _ in 0..<TupleTestPlan.rounds(50_000, long: 2_000_000) {
            var key = schema.pack(
                generator.string(), generator.below(3) == 0 ? nil : UInt16(generator.below(65536)), generator.bytes(),
                Double(generator.below(9)))
            switch generator.below(5) {
            case 0: break
            case 1: key.removeLast(generator.below(key.count) + 1)
            case 2: key.append(UInt8(generator.below(256)))
            case 3: key[generator.below(key.count)] = generator.pick([0, 0xff, 0x40, UInt8(generator.below(256))])
            default: key = generator.bytes() + generator.bytes()
            }
            guard let read = try? schema.unpack(key) else { continue }
            readCount += 1
            #expect(schema.pack(read) == key, "\(TupleTestPlan.repetition)")
        }
        #expect(readCount > 1000)
    }
}
