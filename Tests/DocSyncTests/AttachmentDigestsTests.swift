import DocIndex
import DocSync
import TestSupport
import Testing

import struct DocIndex.Attachment

@Suite struct AttachmentDigestsTests {
    @Test func `MD5 of the test vectors of RFC 1321 is right, in one part or in many`() throws {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        for (text, expected) in [
            ("", "1B2M2Y8AsgTpgAmY7PhCfg=="), ("a", "DMF1ucDxtqgxw5niaXcmYQ=="), ("abc", "kAFQmDzST7DWlj99KOF/cg=="),
            (letters, "0XSrmNJ32fWlYRwsn0Gdnw=="),
        ] {
            var hash = MD5Hash()
            var parts = MD5Hash()
            hash.update(Array(text.utf8))
            for byte in text.utf8 {
                let copy = parts
                parts.update([byte])
                #expect(copy.digest != parts.digest)
            }
            #expect(Base64.text(of: hash.digest) == expected)
            #expect(parts.digest == hash.digest)
        }
    }

    @Test func `The digests that were learned are kept, at most four and the newest first`() throws {
        try withTemporaryStore(schema: AttachedPhotos.schema) { store in
            let photos = try store.collection("photos")
            try photos.startReplication()
            let digests = AttachmentDigests(of: photos)
            let content = try DocumentAttachmentsTests.digest(1)
            #expect(try digests.known(content) == [])
            func note(_ new: [String]) throws {
                try store.replicate("photos") { try digests.note([content: new], in: &$0) }
            }
            try note(["md5-1", "md5-1", "", "md5 2", String(repeating: "x", count: 129), "a\nb"])
            #expect(try digests.known(content) == ["md5-1"])
            try note(["md5-2", "md5-1"])
            #expect(try digests.known(content) == ["md5-2", "md5-1"])
            try note(["md5-3", "md5-4", "md5-5"])
            #expect(try digests.known(content) == ["md5-3", "md5-4", "md5-5", "md5-2"])
            #expect(try digests.known(DocumentAttachmentsTests.digest(2)) == [])
        }
    }
}
