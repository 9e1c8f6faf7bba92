extension DocumentCollection.Page {
    /// The position where the next page of a result begins. Opaque: its content may change with every release.
    ///
    /// A token identifies the last result by its sort keys and its row rather than by a count, so it stays valid while
    /// others write: a result that exists the whole time is neither left out nor returned twice. It also identifies the
    /// plan of the first page. That plan is used again if possible; otherwise another plan continues at the same
    /// position.
    public struct Token: Sendable, Hashable {
        /// The token as text: letters, digits, `-` and `_`.
        public let text: String

        /// Creates a token from saved text. Validation takes place on first use.
        public init(_ text: String) { self.text = text }

        /// The version of the layout, stored in the first byte.
        private static let version: UInt8 = 1

        /// The decoded contents of a token.
        struct Content {
            /// The fingerprint of the query.
            let query: UInt64
            /// The plan of the first page.
            let plan: String
            /// The position of the last result; see ``SortPosition``.
            let position: [UInt8]
        }

        init(_ content: Content) {
            var bytes = [Self.version]
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: content.query >> shift))
            }
            Varint.append(UInt64(content.plan.utf8.count), to: &bytes)
            bytes += Array(content.plan.utf8)
            bytes += content.position
            Self.append(FNV1a.hash(bytes), to: &bytes)
            text = Self.base64URL(bytes)
        }

        /// - Throws: ``DocIndexError`` with `invalidQuery` if the token is invalid.
        func content() throws -> Content {
            guard let bytes = Self.bytes(base64URL: text), bytes.count > 17, bytes[0] == Self.version else {
                throw Self.damaged
            }
            var sum: [UInt8] = []
            Self.append(FNV1a.hash(bytes.dropLast(8)), to: &sum)
            var offset = 9
            let end = bytes.count - 8
            guard Array(bytes[end...]) == sum, let length = Varint.read(bytes.span, &offset),
                length <= UInt64(end - offset)
            else { throw Self.damaged }
            let query = bytes[1..<9].reduce(0) { $0 << 8 | UInt64($1) }
            let planEnd = offset + Int(length)
            return Content(
                query: query, plan: String(decoding: bytes[offset..<planEnd], as: UTF8.self),
                position: Array(bytes[planEnd..<end]))
        }

        private static var damaged: DocIndexError {
            DocIndexError(.invalidQuery, "the token is not valid; request the first page")
        }

        private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }

        // MARK: - Text (RFC 4648, section 5, without padding)

        private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

        private static func base64URL(_ bytes: [UInt8]) -> String {
            var text: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let count = min(3, bytes.count - start)
                var group = 0
                for offset in 0..<3 { group = group << 8 | (offset < count ? Int(bytes[start + offset]) : 0) }
                for digit in 0...count { text.append(alphabet[group >> (18 - 6 * digit) & 63]) }
            }
            return String(decoding: text, as: UTF8.self)
        }

        private static func bytes(base64URL text: String) -> [UInt8]? {
            var bytes: [UInt8] = []
            var group = 0
            var count = 0
            for character in text.utf8 {
                guard let digit = alphabet.firstIndex(of: character) else { return nil }
                group = (group << 6 | digit) & 0xff_ffff
                count += 1
                if count % 4 != 1 { bytes.append(UInt8(truncatingIfNeeded: group >> (4 - 2 * ((count - 2) % 4)))) }
            }
            return count % 4 == 1 ? nil : bytes
        }
    }
}

extension Query {
    /// A hash of the condition and the order. The limit and the offset are not included.
    var fingerprint: UInt64 {
        var text = filter.normalized.description
        for key in sort { text += "\u{0}\(key)" }
        return FNV1a.hash(text.utf8)
    }
}
