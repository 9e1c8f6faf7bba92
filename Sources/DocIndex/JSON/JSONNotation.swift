/// How JSON text stands for the values that JSON has no form for: bytes, dates, NaN, infinities.
///
/// | value | `plain` | `tagged` | `dump` |
/// |---|---|---|---|
/// | bytes | `{"$bytes":"AP8="}` | the same | the same |
/// | dates | `{"$date":"2012-06-08T18:02:11.000+02:00"}` | the same | the same |
/// | NaN, infinities | `{"$num":"nan"}`, `{"$num":"inf"}`, `{"$num":"-inf"}` | the same | the same |
/// | numbers beyond ±2^53 | digits | `{"$num":"9007199254740993"}` | digits |
/// | an object that looks like one of these forms | itself | `{"$lit":{…}}` around it | `{"$lit":{…}}` around it |
/// | any other object whose first name begins with `$` | itself | itself | `{"$lit":{…}}` around it |
public enum JSONNotation: Sendable, Hashable {
    /// Objects mean themselves. A parser never returns bytes or a date; a writer writes the forms, but nothing says later
    /// whether they were dates or objects.
    case plain
    /// For text that passes through other programs, such as `jq`. A writer's text is read back as the same value, also
    /// after a program has sorted the members or rounded its numbers to doubles.
    ///
    /// The names with a meaning are `$bytes`, `$date` and `$num` as the only name of an object, and `$lit` anywhere.
    /// Other objects mean themselves, so `{"$gte":4}` is read as it is. A double without a fraction is written as `4.0`;
    /// a program that writes `4` makes an integer of it.
    case tagged
    /// For dumps: every object whose first name begins with `$` is a form, and an unknown form is an error. A parser
    /// with this notation depends on the order of members.
    case dump
}

extension JSONNotation {
    /// Whether an object must be written as `{"$lit":{…}}`, so that a parser does not take it for a form.
    func mustWrap(_ object: DocumentObject) -> Bool {
        switch self {
        case .plain: false
        // The first name as it is written decides, since the parser checks no other.
        case .dump: object.first.map { ExtendedName.isReserved($0.name) } ?? false
        case .tagged: ExtendedName.isTagged(object)
        }
    }

    /// Whether an integer is written as a form. Programs that hold numbers as doubles would round it.
    func mustTag(_ number: Int64) -> Bool { self == .tagged && number.magnitude > 1 << 53 }

    /// Whether a finite double is written as a form: programs may write it without an exponent, which makes another
    /// integer of it.
    func mustTag(_ number: Double) -> Bool { self == .tagged && number.magnitude > 0x1p53 }
}
