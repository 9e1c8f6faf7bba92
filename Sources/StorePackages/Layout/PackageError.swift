/// An error of a package: a code for programs and a message for people.
public struct PackageError: Error, Sendable, Hashable {
    /// The kinds of errors that a program may want to distinguish.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The file is not a package, or not one that this library wrote.
        case notAPackage
        /// The package was written by a newer version.
        case packageTooNew
        /// The content of the package is not what it was when it was written.
        case packageDamaged
        /// The documents or files to be packed exceed the limits of a package.
        case packageTooLarge
        /// The options contradict each other, or the store has not what they need.
        case invalidOptions
    }

    /// The kind of error.
    public let code: Code
    /// A description of the failure: the operation, its object, and what to do next.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error of a damaged package.
    static func damaged(_ path: String, _ reason: String) -> PackageError {
        PackageError(.packageDamaged, "the package \(path) is damaged: \(reason); get it again from whoever packed it")
    }
}

extension PackageError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
