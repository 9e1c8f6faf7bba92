import LevelKit
import Testing

/// Test vectors of other implementations: the tests of Java and Go, the examples of the specification, and Python's
/// output.
@Suite(
    .enabled(
        if: TupleVectors.isAvailable,
        "SKIPPED: ../shared/data/tuple_vectors.tsv is not there; TupleCoreVectorTests holds a selection of it"
    )
)
struct TupleVectorTests {
    @Test func `The vector file contains all vectors`() {
        #expect(TupleVectors.all("valid").count == 77)
        #expect(TupleVectors.all("range").count == 1)
        #expect(TupleVectors.all("noncanonical").count == 2)
        #expect(TupleVectors.all("malformed").count == 20)
    }

    @Test(arguments: TupleVectors.all("valid"))
    func `A valid vector encodes to its bytes and decodes to its value`(vector: TupleVectors.Vector) throws {
        guard let tuple = try TupleNotation.tuple(vector.value) else {
            // Strings in Go are bytes: one of its vectors contains a string that is not valid UTF-8.
            let error = #expect(throws: TupleError.self) { try Tuple(packed: bytes(vector.hex)) }
            #expect(error?.code == .invalidUTF8)
            #expect(vector.value.contains("\\xFF"))
            return
        }
        #expect(hex(tuple.packed()) == vector.hex)
        #expect(try Tuple(packed: bytes(vector.hex)) == tuple)
    }

    @Test func `Only one vector cannot be expressed as a tuple of Swift values`() throws {
        let others = try TupleVectors.all("valid").filter { try TupleNotation.tuple($0.value) == nil }
        #expect(others.count == 1)
    }

    @Test(arguments: TupleVectors.all("range"))
    func `The range vector equals the range of its tuple`(vector: TupleVectors.Vector) throws {
        let tuple = try #require(try TupleNotation.tuple(String(vector.value.dropFirst("range(".count))))
        let ends = vector.hex.split(separator: "/").map { bytes(String($0)) }
        #expect(tuple.range == .range(from: ends[0], to: ends[1]))
    }

    @Test(arguments: TupleVectors.all("noncanonical"))
    func `Python's long form of an integer decodes to a value that encodes in the short form`(
        vector: TupleVectors.Vector
    ) throws {
        let tuple = try #require(try TupleNotation.tuple(vector.value))
        let decoded = try Tuple(packed: bytes(vector.hex))
        #expect(decoded == tuple)
        #expect(decoded.packed().count == 9)
        #expect(hex(decoded.packed()) != vector.hex)
    }

    @Test(arguments: TupleVectors.all("malformed"))
    func `A malformed vector throws`(vector: TupleVectors.Vector) throws {
        let key = bytes(vector.hex)
        let error = try #require(throws: TupleError.self) { try Tuple(packed: key) }
        #expect((0...key.count).contains(error.offset))
        if vector.value.contains("unterminated") { #expect(error.code == .unterminated) }
        if vector.value.contains("truncated") { #expect(error.code == .truncated) }
        if vector.value.contains("UTF-8") || vector.value.contains("CESU") { #expect(error.code == .invalidUTF8) }
        if vector.value.contains("type code") { #expect(error.code == .unknownCode) }
    }
}
