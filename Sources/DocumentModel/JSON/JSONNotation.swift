extension DocumentValue {
    /// The way in which JSON text represents values that JSON lacks: bytes, dates, attachments, NaN and infinities.
    ///
    /// | value | `plain` | `tagged` | `dump` |
    /// |---|---|---|---|
    /// | bytes | `{"$bytes":"AP8="}` | the same | the same |
    /// | dates | `{"$date":"2012-06-08T18:02:11.000+02:00"}` | the same | the same |
    /// | attachments | `{"$attachment":{"sha256":"…","bytes":2048,"type":"image/jpeg","name":"IMG_1.jpg"}}` | the same | the same |
    /// | NaN, infinities | `{"$num":"nan"}`, `{"$num":"inf"}`, `{"$num":"-inf"}` | the same | the same |
    /// | numbers beyond ±2^53 | digits | `{"$num":"9007199254740993"}` | digits |
    /// | an object that looks like one of these forms | itself | `{"$lit":{…}}` around it | `{"$lit":{…}}` around it |
    /// | any other object whose first name begins with `$` | itself | itself | `{"$lit":{…}}` around it |
    ///
    /// An attachment without a name has no member `name`. When text is read, `type` may also be absent; see
    /// ``Attachment/unknownType``.
    public enum JSONNotation: Sendable, Hashable {
        /// Objects have no special meaning. A parser never returns bytes, dates or attachments. A writer writes the
        /// forms, but a reader cannot tell later whether they were forms or plain objects.
        case plain
        /// For text that passes through other programs, such as `jq`. A writer's text is read back as the same value,
        /// even if a program has sorted the members or rounded numbers to doubles.
        ///
        /// The names with a meaning are `$bytes`, `$date`, `$num` and `$attachment` as the only name of an object, and
        /// `$lit` in any object. Other objects stand for themselves, so `{"$gte":4}` is read unchanged. A double
        /// without a fraction is written as `4.0`; a program that rewrites it as `4` turns it into an integer.
        case tagged
        /// For dumps: every object whose first name begins with `$` is a form, and an unknown form is an error. A
        /// parser for this notation depends on the order of members.
        case dump
    }
}

extension DocumentValue.JSONNotation {
    /// Returns whether an object must be written as `{"$lit":{…}}`, so that a parser does not interpret it as a form.
    func mustWrap(_ object: DocumentObject) -> Bool {
        switch self {
        case .plain: false
        // The first name in the written order decides, because the parser checks only that one.
        case .dump: object.first.map { ExtendedName.isReserved($0.name) } ?? false
        case .tagged: ExtendedName.isTagged(object)
        }
    }

    /// Returns whether an integer is written as a form. Programs that store numbers as doubles would round it.
    func mustTag(_ number: Int64) -> Bool { self == .tagged && number.magnitude > 1 << 53 }

    /// Returns whether a finite double is written as a form. Programs may rewrite it without an exponent, which turns
    /// it into an integer.
    func mustTag(_ number: Double) -> Bool { self == .tagged && number.magnitude > 0x1p53 }
}
