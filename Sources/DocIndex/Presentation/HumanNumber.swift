/// Numbers formatted for people; programs get plain integers.
package enum HumanNumber {
    /// `1,234,567`.
    package static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var output = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { output.append(",") }
            output.append(digit)
        }
        return output
    }

    /// `1 document`, `1,234 documents`.
    ///
    /// - Parameter plural: the plural of the noun; `nil` to append an s.
    package static func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(grouped(count)) \(count == 1 ? noun : plural ?? noun + "s")"
    }

    /// `512 B`, `1.5 kB`, `27.1 MB`: powers of 1000, as in `ls --si`.
    package static func byteCount(_ count: Int) -> String {
        guard count.magnitude >= 1000 else { return "\(count) B" }
        var size: UInt = 1
        for unit in ["kB", "MB", "GB", "TB", "PB", "EB"] {
            size *= 1000
            let tenths = (count.magnitude + size / 20) / (size / 10)
            if tenths < 10_000 { return "\(count < 0 ? "-" : "")\(tenths / 10).\(tenths % 10) \(unit)" }
        }
        preconditionFailure("the largest integer has fewer than ten exabytes")
    }

    /// `0:05`, `12:34`, `3:00:00`: seconds rounded down.
    package static func clock(_ duration: Duration) -> String {
        let seconds = max(0, Int(duration.components.seconds))
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = seconds / 60
        if minutes < 60 { return "\(minutes):\(padded(seconds % 60))" }
        return "\(minutes / 60):\(padded(minutes % 60)):\(padded(seconds % 60))"
    }
}
