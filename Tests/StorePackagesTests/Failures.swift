import Foundation
import LevelKit
import StorePackages
import Testing

/// Expects an error of a database with a code.
func expectFailure<R>(
    _ code: LevelError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> R
) {
    let error = #expect(throws: LevelError.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
}

/// Expects an error of a package with a code. Its message says what to do next.
func expectFailure<R>(
    _ code: PackageError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> R
) {
    let error = #expect(throws: PackageError.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.code == code, "\(error?.message ?? "")", sourceLocation: sourceLocation)
    #expect(error?.message.contains("; ") == true, sourceLocation: sourceLocation)
    #expect(error?.localizedDescription == error?.message, sourceLocation: sourceLocation)
}
