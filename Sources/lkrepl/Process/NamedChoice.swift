/// The values of an option with a fixed set of names.
protocol NamedChoice: RawRepresentable<String>, CaseIterable {
    /// The beginning of the error for an unknown name: `unknown mode`.
    static var unknownName: String { get }
    /// A hint to append to the list of names; empty for none.
    static var advice: String { get }
}

extension NamedChoice {
    static var advice: String { "" }

    /// Creates the value with the given name.
    ///
    /// - Throws: ``CommandError`` that lists the valid names.
    init(named name: String) throws(CommandError) {
        guard let value = Self(rawValue: name) else {
            throw CommandError(
                .usage, "\(Self.unknownName) \(name)",
                hint: "use one of " + Self.allCases.map(\.rawValue).joined(separator: ", ")
                    + (Self.advice.isEmpty ? "" : "; \(Self.advice)"))
        }
        self = value
    }
}
