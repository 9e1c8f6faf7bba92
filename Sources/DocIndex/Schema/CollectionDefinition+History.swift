extension CollectionDefinition {
    /// How many past changes of its documents a collection keeps. Each kept change holds the form that the document had
    /// before it.
    ///
    /// With both bounds, a change is kept only while it is within both. At least one bound is needed.
    public struct History: Sendable, Hashable {
        /// The age up to which changes are kept; `nil` for any age.
        public var age: Age?
        /// The number of changes of each document that are kept, the newest ones; `nil` for any number.
        public var versions: Int?

        /// Creates bounds.
        public init(age: Age? = nil, versions: Int? = nil) {
            self.age = age
            self.versions = versions
        }

        /// The largest number of changes of each document that can be kept.
        public static let maximumVersions = 1_000_000
    }
}

extension CollectionDefinition.History {
    /// A span of time in whole seconds. In JSON it is a number and a unit, such as `90 days`.
    public struct Age: Sendable, Hashable {
        /// The number of seconds.
        public let seconds: Int

        /// Returns an age of this many seconds.
        public static func seconds(_ count: Int) -> Age { Age(seconds: count) }
        /// Returns an age of this many minutes.
        public static func minutes(_ count: Int) -> Age { Age(count, unit: 60) }
        /// Returns an age of this many hours.
        public static func hours(_ count: Int) -> Age { Age(count, unit: 3600) }
        /// A number of days of 24 hours.
        public static func days(_ count: Int) -> Age { Age(count, unit: 86_400) }

        /// The longest age, a hundred years.
        public static let maximum = Age.days(36_500)

        private init(seconds: Int) { self.seconds = seconds }

        private init(_ count: Int, unit: Int) {
            let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
            self.seconds = overflow ? (count < 0 ? .min : .max) : seconds
        }

        /// Reads a number and a unit with a space between them: seconds, minutes, hours, days or weeks, also in the
        /// singular. Returns `nil` for anything else.
        public init?(_ text: String) {
            let words = text.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 2, words[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(words[0]),
                let unit = Self.units.first(where: { words[1] == $0.name || words[1] == $0.name + "s" })
            else { return nil }
            self.init(count, unit: unit.seconds)
        }

        /// From the largest to the smallest.
        private static let units = [
            (name: "week", seconds: 604_800), (name: "day", seconds: 86_400), (name: "hour", seconds: 3600),
            (name: "minute", seconds: 60), (name: "second", seconds: 1),
        ]
    }
}

extension CollectionDefinition.History.Age: CustomStringConvertible {
    /// The age in the largest unit up to days that gives a whole number, such as `90 days`.
    public var description: String {
        for unit in Self.units.dropFirst() where seconds.isMultiple(of: unit.seconds) {
            let count = seconds / unit.seconds
            return "\(count) \(unit.name)\(count == 1 ? "" : "s")"
        }
        return "\(seconds) seconds"
    }
}

extension CollectionDefinition.History {
    /// The bounds in the JSON form of a schema file.
    var jsonValue: DocumentValue {
        var object = DocumentObject()
        if let age { object["age"] = .string(age.description) }
        if let versions { object["versions"] = .int(Int64(versions)) }
        return .object(object)
    }

    /// The violations of the rules for bounds, with the name of the member; `nil` for the bounds as a whole.
    var violations: [(member: String?, message: String)] {
        var violations: [(member: String?, message: String)] = []
        if age == nil, versions == nil {
            violations.append((nil, "has no bounds; specify age or versions, such as {\"age\": \"90 days\"}"))
        }
        if let age, !(1...Age.maximum.seconds).contains(age.seconds) {
            violations.append(("age", "is \(age); an age is from 1 second to \(Age.maximum)"))
        }
        if let versions, !(1...Self.maximumVersions).contains(versions) {
            violations.append(("versions", "is \(versions); a number of versions is from 1 to \(Self.maximumVersions)"))
        }
        return violations
    }
}
