import Foundation
import LevelKit

/// The public test vectors of the tuple encoding, from `../shared/data/tuple_vectors.tsv` next to the package.
enum TupleVectors {
    /// A line of the file.
    struct Vector: Sendable, CustomStringConvertible {
        /// `valid`, `range`, `noncanonical` or `malformed`.
        let kind: String
        /// The tuple in the notation of ``TupleNotation``, or, if malformed, a description of the fault.
        let value: String
        /// The bytes in hexadecimal; for a range, two keys separated by a slash.
        let hex: String

        var description: String { "\(kind) \(value) = \(hex)" }
    }

    /// Keys, LevelKitTests, Tests, then the root of the package; the shared folder is next to it.
    private static let file = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/data/tuple_vectors.tsv")

    /// Whether the file exists; it is not part of the package.
    static let isAvailable = FileManager.default.fileExists(atPath: file.path)

    /// All vectors; none if the file is missing.
    static let all: [Vector] = {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").dropFirst().map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Vector(kind: columns[0], value: columns[2], hex: columns[3])
        }
    }()

    static func all(_ kind: String) -> [Vector] { all.filter { $0.kind == kind } }
}

func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.filter { !$0.isWhitespace })
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0..<$0 + 2]), radix: 16) }
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String(format: "%02x", $0) }.joined()
}
