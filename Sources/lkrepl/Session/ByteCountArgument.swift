import ArgumentParser

/// A number of bytes such as `65536`, `64K`, `1M` or `2G`; the units are powers of 1024.
struct ByteCountArgument: ExpressibleByArgument, Hashable, Sendable {
    let value: Int

    init(_ value: Int) { self.value = value }

    init?(argument: String) {
        var digits = argument[...]
        var factor = 1
        if let unit = digits.last?.uppercased(), let power = ["K", "M", "G"].firstIndex(of: unit) {
            digits.removeLast()
            factor = 1 << (10 * (power + 1))
        }
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int(digits) else {
            return nil
        }
        let (value, overflows) = count.multipliedReportingOverflow(by: factor)
        guard !overflows else { return nil }
        self.value = value
    }

    var defaultValueDescription: String {
        for (power, unit) in [(30, "G"), (20, "M"), (10, "K")] where value >= 1 << power && value % (1 << power) == 0 {
            return "\(value >> power)\(unit)"
        }
        return "\(value)"
    }
}
