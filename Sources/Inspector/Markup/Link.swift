internal import DocSync

/// An address of this server: a path and a query.
struct Link: Sendable, Hashable {
    /// The parts between slashes, not encoded.
    var path: [String]
    /// The parameters in order. Those without a value are left out.
    var parameters: [Parameter] = []
    /// The place on the page.
    var fragment: String?

    struct Parameter: Sendable, Hashable {
        let name: String
        var value: String
    }

    init(_ path: String..., fragment: String? = nil) {
        self.path = path
        self.fragment = fragment
    }

    init(path: [String]) { self.path = path }

    /// The value of a parameter; `nil` if there is none.
    subscript(name: String) -> String? {
        get { parameters.first { $0.name == name }?.value }
        set {
            guard let newValue else { return parameters.removeAll { $0.name == name } }
            if let position = parameters.firstIndex(where: { $0.name == name }) {
                parameters[position].value = newValue
            } else {
                parameters.append(Parameter(name: name, value: newValue))
            }
        }
    }

    /// Returns the link with a different value of a parameter.
    func with(_ name: String, _ value: String?) -> Link {
        var link = self
        link[name] = value
        return link
    }

    /// The address, percent-encoded. It begins with a slash.
    var text: String {
        var text = Target.text(path, [:])
        var separator = "?"
        for parameter in parameters {
            text += "\(separator)\(PercentCoding.encoded(parameter.name))=\(PercentCoding.encoded(parameter.value))"
            separator = "&"
        }
        if let fragment { text += "#" + PercentCoding.encoded(fragment) }
        return text
    }
}
