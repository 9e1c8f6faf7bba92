/// A condition on a value that can often be decided without decoding the value.
package protocol EncodedCondition {
    /// Returns whether the condition holds for the value encoded at an offset; `nil` if it must be decoded to decide.
    ///
    /// - Throws: ``BodyError`` if a part of the value that is read is damaged.
    func holds(in bytes: Span<UInt8>, at offset: Int, before end: Int) throws(BodyError) -> Bool?

    /// Returns whether the condition holds for a value, within the limits on its cost.
    ///
    /// - Throws: ``DocIndexError`` with `queryTooLarge` if deciding takes too many steps.
    func holdsBounded(_ value: DocumentValue) throws -> Bool
}
