import DocIndex
import Testing

@testable import DocIndex

/// SHA-256 of the system's library.
@Suite struct SHA256HashTests {
    private static func hash(_ parts: some Sequence<[UInt8]>) -> SHA256Hash {
        var hash = SHA256Hash()
        for part in parts { add(part, to: &hash) }
        return hash
    }

    private static func add(_ bytes: [UInt8], to hash: inout SHA256Hash) {
        unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test(
        "The digests are those of FIPS 180-4",
        arguments: [
            ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "a", 1_000_000,
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ])
    func vectors(text: String, count: Int, digest: String) {
        #expect(Self.hexadecimal(Self.hash([Array(String(repeating: text, count: count).utf8)]).digest) == digest)
    }

    @Test func `The digest does not depend on how the bytes are split`() {
        let bytes = (0..<200).map { UInt8($0) }
        let whole = Self.hash([bytes]).digest
        for split in bytes.indices {
            #expect(Self.hash([Array(bytes[..<split]), [], Array(bytes[split...])]).digest == whole)
        }
    }

    @Test func `A copy of a hash continues independently, and reading the digest does not end the hash`() {
        let original = Self.hash([[1, 2, 3]])
        var copy = original
        let before = original.digest
        Self.add([4, 5], to: &copy)
        #expect(original.digest == before)
        #expect(copy.digest == Self.hash([[1, 2, 3, 4, 5]]).digest)
        var another = copy
        Self.add([6], to: &another)
        #expect(another.digest == Self.hash([[1, 2, 3, 4, 5, 6]]).digest)
    }
}
