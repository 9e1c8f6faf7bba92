import DocumentModel
import Foundation
import Testing

@Suite struct LocalizedErrorTests {
    /// One error of each public type, by the name in its declaration, and the text that an alert shows.
    private static let errors: [String: (error: any Error, text: String)] = {
        var errors: [String: (any Error, String)] = [:]
        let error = DocIndexError(.unknownCollection, "there is no collection birds; declare it in the schema")
        errors["DocIndexError"] = (error, error.message)
        do { _ = try DocumentValue(json: "[1,") } catch { errors["JSONError"] = (error, "\(error)") }
        do { _ = try FieldPath(parsing: "a..b") } catch { errors["SyntaxError"] = (error, "\(error)") }
        do {
            _ = try DocumentObject(uniqueMembers: [("a", 1), ("a", 2)])
        } catch { errors["DuplicateNameError"] = (error, "\(error)") }
        return errors
    }()

    @Test(arguments: errors.keys.sorted())
    func `The localized description of a public error is its message`(name: String) throws {
        let (error, text) = try #require(Self.errors[name])
        #expect(error.localizedDescription == text)
        #expect(error is any LocalizedError)
    }

    @Test func `Every public error type is tested here`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
        var declared: Set<String> = []
        for module in ["DocumentModel", "TextIndexing", "DocIndex"] {
            let folder = sources.appending(path: module)
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: /public (?:struct|enum|final class) (\w+): (?:\w+, )*Error\b/) {
                    declared.insert(String(match.output.1))
                }
            }
        }
        #expect(declared == Set(Self.errors.keys))
    }
}
