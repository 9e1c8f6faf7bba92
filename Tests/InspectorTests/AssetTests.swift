import Foundation
import Testing

@testable import Inspector

@Suite struct `Assets of the inspector` {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/Inspector/Assets")

    @Test(arguments: Asset.all.map(\.name))
    func `The constants are the files beside them, as script/assets writes them`(name: String) throws {
        let asset = try #require(Asset.all.first { $0.name == name })
        let hyphen = try #require(name.lastIndex(of: "-"))
        let dot = try #require(name.lastIndex(of: "."))
        let file = String(name[..<hyphen] + name[dot...])
        let text = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
        #expect(String(describing: asset.text) == text, "run script/assets")
    }

    @Test func `Styles and script load nothing from elsewhere, and the first page is small`() {
        var byteCount = 0
        for asset in Asset.all {
            let text = String(describing: asset.text)
            byteCount += text.utf8.count
            for word in ["http:", "https:", "@import", "url(", "eval(", "innerHTML", "document.write"] {
                #expect(!text.contains(word), "\(asset.name): \(word)")
            }
        }
        #expect(byteCount < 30_000)
    }
}
