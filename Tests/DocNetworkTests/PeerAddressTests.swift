#if Network
    import DocNetwork
    import Testing

    @Suite struct PeerAddressTests {
        @Test(arguments: [
            ("http://localhost:5984", "http://localhost:5984"), ("HTTPS://example.org/", "https://example.org"),
            ("https://example.org:443/couch/", "https://example.org/couch"), ("http://[::1]:80", "http://[::1]"),
            ("https://example.org/a%2Fb", "https://example.org/a%2Fb"),
        ])
        func `An address is read and written without what is implied`(text: String, written: String) throws {
            let address = try PeerAddress(parsing: text)
            #expect(address.description == written)
            #expect(try PeerAddress(parsing: written) == address)
        }

        @Test(arguments: [
            "", "example.org", "ftp://example.org", "http://", "https://example.org:0", "http://example.org:70000",
            "http://a b/", "http://example.org?x", "http://example.org#x", "http://[::1", "http://example.org/\u{1}",
        ])
        func `A malformed peer address is rejected`(text: String) {
            #expect { try PeerAddress(parsing: text) } throws: { ($0 as? NetworkError)?.code == .invalidAddress }
        }

        @Test func `An address with a password is refused in words that do not repeat it`() {
            #expect {
                try PeerAddress(parsing: "https://anna:geheim@example.org")
            } throws: { error in
                error is NetworkError && !"\(error)".contains("geheim") && "\(error)".contains("password")
            }
        }
    }
#endif
