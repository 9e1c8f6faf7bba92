internal import DocIndex

/// The address of a document: its ID is a part of the path, or the parameter `id`.
enum DocumentAddress {
    /// Returns the IDs that an address may mean, the likely one first. The integer 5 and the string "5" are different
    /// IDs; `kind=int` distinguishes them.
    static func candidates(_ text: String, kind: String?) throws -> [DocumentID] {
        let number = Int64(text).flatMap { String($0) == text ? DocumentID.int($0) : nil }
        switch kind {
        case "int":
            guard let number else {
                throw Problem(.badRequest, "kind=int needs an ID that is an integer.", parameter: "kind")
            }
            return [number]
        case "string": return [.string(text)]
        default: return [.string(text)] + (number.map { [$0] } ?? [])
        }
    }

    /// Returns the link to the page of a document.
    static func link(_ id: DocumentID, in collection: String) -> Link {
        link(id, below: ["c", collection, "doc"])
    }

    /// Returns the link to a document below a path.
    static func link(_ id: DocumentID, below path: [String]) -> Link {
        var link = Link(path: path)
        switch id {
        case .int(let number):
            link.path.append("\(number)")
            link["kind"] = "int"
        // Browsers leave out such parts of a path.
        case .string(""), .string("."), .string(".."):
            link["kind"] = "string"
            link["id"] = id.description
        case .string(let text):
            link.path.append(text)
            if Int64(text) != nil { link["kind"] = "string" }
        }
        return link
    }
}
