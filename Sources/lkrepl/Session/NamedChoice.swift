/// The values of an option that takes one of several names.
protocol NamedChoice: RawRepresentable<String>, CaseIterable {
    /// What is told of a name that is none, before the name: `there is no mode`.
    static var unknownName: String { get }
    /// What else is to be said behind the names that there are; empty for nothing.
    static var advice: String { get }
}

extension NamedChoice {
    static var advice: String { "" }

    /// The value of a name.
    ///
    /// - Throws: ``CommandFailure`` that lists the names if this is none of them.
    init(named name: String) throws(CommandFailure) {
        guard let value = Self(rawValue: name) else {
            throw CommandFailure(
                .usage, "\(Self.unknownName) \(name)",
                hint: "one of " + Self.allCases.map(\.rawValue).joined(separator: ", ")
                    + (Self.advice.isEmpty ? "" : "; \(Self.advice)"))
        }
        self = value
    }
}
