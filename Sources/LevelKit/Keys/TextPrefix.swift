/// The strings with a common prefix, as the interval of a component; see `startingWith(_:)`.
///
/// ```swift
/// try titles.entries(in: .range(.startingWith("IMG_02")))
/// try byCamera.entries(in: .range("Leica", 2019, .startingWith("IMG_")))
/// ```
///
/// Strings are compared by their UTF-8 bytes, like the keys: `e` is a prefix of `e` with a combining accent, and not of
/// the single scalar `é`. Every string starts with the empty string; `nil` starts with no string.
public struct TextPrefix<Bound: KeyElementCodable>: ComponentInterval, Sendable {
    /// The prefix.
    public let text: String

    /// From the prefix up to the first string after all strings that start with it.
    public var componentBounds: (lower: KeyBound<any KeyElementCodable>, upper: KeyBound<any KeyElementCodable>) {
        (.included(text), Self.successor(of: text).map { .excluded($0) } ?? .unbounded)
    }

    /// Returns the smallest string above all strings that start with `text`, or `nil` if none exists.
    ///
    /// The order of UTF-8 bytes is the order of the scalars, so the last scalar is replaced by the next one. The largest
    /// scalar has no successor and is dropped.
    static func successor(of text: String) -> String? {
        var scalars = text.unicodeScalars
        while let last = scalars.popLast() {
            // Surrogates are not scalars.
            if let next = Unicode.Scalar(last.value == 0xd7ff ? 0xe000 : last.value + 1) {
                scalars.append(next)
                return String(scalars)
            }
        }
        return nil
    }
}

extension ComponentInterval {
    /// Returns the strings that start with a prefix.
    public static func startingWith(_ text: String) -> Self where Self == TextPrefix<String> {
        TextPrefix(text: text)
    }

    /// Returns the strings that start with a prefix, without `nil`.
    public static func startingWith(_ text: String) -> Self where Self == TextPrefix<String?> {
        TextPrefix(text: text)
    }

    /// Returns the values whose raw value starts with a prefix.
    public static func startingWith<Value: KeyComponentValue & RawRepresentable>(_ text: String) -> Self
    where Self == TextPrefix<Value>, Value.RawValue == String {
        TextPrefix(text: text)
    }
}
