public import DocIndex
public import LevelKit
public import Testing

/// Expects a ``DocIndexError`` with the given code whose message contains all the given parts.
///
/// - Returns: The error. `nil` if none or a different one was thrown, which is recorded as an issue.
@discardableResult
public func expectFailure<R>(
    _ code: DocIndexError.Code, containing parts: String..., sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> R
) -> DocIndexError? {
    let error = #expect(throws: DocIndexError.self, sourceLocation: sourceLocation) { _ = try body() }
    guard let error else { return nil }
    #expect(error.code == code, "\(error.message)", sourceLocation: sourceLocation)
    for part in parts where !error.message.contains(part) {
        Issue.record("the message lacks \"\(part)\": \(error.message)", sourceLocation: sourceLocation)
    }
    return error
}

/// Expects a `LevelError` with the given code.
public func expectLevelFailure<R>(
    _ code: LevelError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> R
) {
    let error = #expect(throws: LevelError.self, sourceLocation: sourceLocation) { _ = try body() }
    if let error { #expect(error.code == code, "\(error)", sourceLocation: sourceLocation) }
}
