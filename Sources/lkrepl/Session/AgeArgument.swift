import ArgumentParser

/// A duration such as `7d`, `12h`, `30m`, `45s` or `0`.
struct AgeArgument: ExpressibleByArgument, Hashable, Sendable {
    let seconds: Int64

    init(days: Int64) { seconds = days * 86_400 }

    init?(argument: String) {
        var digits = argument[...]
        var factor: Int64 = argument == "0" ? 1 : 0
        if let unit = digits.last, let known = Self.units.first(where: { $0.name == unit }) {
            digits.removeLast()
            factor = known.seconds
        }
        guard factor > 0, !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int64(digits)
        else { return nil }
        let (value, overflows) = count.multipliedReportingOverflow(by: factor)
        guard !overflows else { return nil }
        seconds = value
    }

    private static let units: [(name: Character, seconds: Int64)] = [
        ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
    ]

    var defaultValueDescription: String {
        for unit in Self.units where seconds >= unit.seconds && seconds % unit.seconds == 0 {
            return "\(seconds / unit.seconds)\(unit.name)"
        }
        return "0"
    }
}
