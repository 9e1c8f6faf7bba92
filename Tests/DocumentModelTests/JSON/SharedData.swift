import Foundation

/// The files of `../shared/data`, next to the package and not part of it. Tests that need a missing file are skipped.
enum SharedData {
    static let catalogue = bytes(of: "catalog-2000.jsonl")
    static let exiftool = bytes(of: "exiftool-500.json")

    private static func bytes(of name: String) -> [UInt8]? {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (try? Data(contentsOf: root.appending(path: "../shared/data/\(name)"))).map(Array.init)
    }
}
