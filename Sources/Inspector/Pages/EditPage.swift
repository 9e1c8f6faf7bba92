internal import DocIndex
internal import DocSync

/// The forms that change a document, and what they send. The secret in them keeps pages of other sites from sending one.
struct EditForm: Sendable {
    /// The largest document that can be edited as text, in bytes. A form encodes many characters as three.
    private static let byteLimit = 200_000

    /// The secret of the forms.
    let token: AccessToken
    let collection: String

    /// Adds the form with a document as text.
    ///
    /// - Parameter text: the text to show; `nil` for that of the stored document.
    func append(_ document: Document, tag: String, text: String? = nil, to page: inout Markup) {
        let link = DocumentAddress.link(document.id, in: collection)
        let json = text ?? DocumentValue.object(document.content).json(JSONWriter(layout: .pretty, notation: .dump))
        page.element("details", text == nil ? nil : .flag("open")) { details in
            details.element("summary", text: "Edit")
            guard json.utf8.count <= Self.byteLimit else {
                return details.element("p", text: "The document is too large to be edited here; use lkrepl doc patch.")
            }
            details.element("form", .class("edit"), .fixed("method", "post"), .action(link)) { form in
                hidden("save", tag, &form)
                form.element("label") { label in
                    label.text("Document as JSON")
                    label.area(json, rows: min(30, 2 + json.utf8.count { $0 == UInt8(ascii: "\n") }))
                }
                form.element("button", text: "Save")
            }
        }
        page.element("p") { $0.element("a", .href(link.with("confirm", "delete")), text: "Delete…") }
    }

    /// Adds the question before a document is deleted.
    func appendQuestion(_ document: Document, tag: String, to page: inout Markup) {
        let link = DocumentAddress.link(document.id, in: collection)
        page.element("p", text: "Delete this document? This cannot be undone, unless the collection keeps a history.")
        page.element("form", .class("edit"), .fixed("method", "post"), .action(link)) { form in
            hidden("delete", tag, &form)
            form.element("button", .class("danger"), text: "Delete")
            form.element("a", .href(link), text: "Keep it")
        }
    }

    private func hidden(_ action: String, _ tag: String, _ form: inout Markup) {
        for (name, value) in [("action", action), ("tag", tag), ("token", token.text)] {
            form.void("input", .fixed("type", "hidden"), .name(name), .value(value))
        }
    }

    /// The fields that a form sends.
    struct Content: Sendable {
        /// `save` or `delete`.
        let action: String
        /// The tag of the version that was shown.
        let tag: String
        /// The document as text.
        let text: String
    }

    /// Reads what a form sends.
    ///
    /// - Throws: ``Problem`` with `forbidden` for a form of another page.
    func content(of request: SyncRequest) async throws -> Content {
        let fields = try await RequestBody.form(of: request)
        guard let given = fields["token"], token.matches(given) else {
            throw Problem(.forbidden, "The form was not created by this server; open the document again.")
        }
        guard let action = fields["action"], ["save", "delete"].contains(action), let tag = fields["tag"] else {
            throw Problem(.badRequest, "The form is incomplete; open the document again.")
        }
        return Content(action: action, tag: tag, text: fields["document"] ?? "")
    }
}

extension Markup {
    /// Adds text of several lines.
    fileprivate mutating func area(_ text: String, rows: Int) {
        element(
            "textarea", .class("code"), .name("document"), .number("rows", Double(rows)), .fixed("spellcheck", "false")
        ) { area in
            // Browsers leave out the first line end.
            area.text("\n" + text)
        }
    }
}
