package import DocIndex

/// Values in the order of index keys, including the edges of every type.
package enum AscendingValues {
    /// Values in order; those in one line are equal.
    package static let all = scalars + Attachments.ascending.map { [.attachment($0)] } + containers

    private static let scalars: [[DocumentValue?]] = [
        [nil], [.null], [false], [true],
        [.double(.nan), .double(-.nan), .double(.signalingNaN), .double(Double(nan: 1, signaling: false))],
        [.double(-.infinity)], [.double(-.greatestFiniteMagnitude)], [.double((-0x1p63).nextDown)],
        [.int(.min), .double(-0x1p63)], [.int(.min + 1)], [.int(.min + 2)], [.int(.min + 1023)],
        [.int(.min + 1024), .double(-0x1.fffffffffffffp62)], [.int(.min + 1025)],
        [.int(-(1 << 53) - 2), .double(-0x1p53 - 2)], [.int(-(1 << 53) - 1)], [.int(-(1 << 53)), .double(-0x1p53)],
        [.int(-(1 << 53) + 1), .double(-0x1p53 + 1)], [.int(-65_537)], [.int(-256), -256.0], [.double(-1.5)],
        [-1, -1.0], [.double(-0.5)], [.double(-Double.leastNormalMagnitude)], [.double(-Double.leastNonzeroMagnitude)],
        [0, 0.0, -0.0], [.double(.leastNonzeroMagnitude)], [.double(.leastNonzeroMagnitude * 2)],
        [.double(.leastNormalMagnitude)], [0.1], [0.5], [.double(1.0.nextDown)], [1, 1.0], [.double(1.0.nextUp)], [1.5],
        [2, 2.0], [255], [256], [257], [1930, 1930.0], [65_536], [.int(1 << 32), .double(0x1p32)],
        [.int(1 << 53 - 1)], [.int(1 << 53), .double(0x1p53)], [.int(1 << 53 + 1)],
        [.int(1 << 53 + 2), .double(0x1p53 + 2)],
        [.int(1 << 53 + 3)], [.int(1 << 62), .double(0x1p62)], [.int(1 << 62 + 1)], [.int(1 << 62 + 255)],
        [.int(1 << 62 + 256)], [.int(1 << 62 + 257)], [.int(1 << 62 + 511)], [.int(1 << 62 + 512)],
        [.int(1 << 62 + 1023)], [.int(1 << 62 + 1024), .double(0x1p62.nextUp)],
        [.int(.max - 1023), .double(0x1p63.nextDown)], [.int(.max - 1022)], [.int(.max - 1)], [.int(.max)],
        [.double(0x1p63)], [.double(0x1p63.nextUp)], [.double(.greatestFiniteMagnitude)], [.double(.infinity)],
        [""], ["\0"], ["\0\0"], ["\0\u{1}"], ["\0a"], ["\0\u{ff}"], ["\u{1}"], ["A"], ["a"], ["a\0"], ["a\0\0"],
        ["a\0\u{1}"], ["a\u{1}"], ["aa"], ["b"], ["e\u{301}"], ["z"], ["\u{7f}"], ["\u{80}"], ["\u{e9}"], ["\u{ff}"],
        ["\u{ff}\0"], ["\u{7ff}"], ["\u{d7ff}"], ["\u{e000}"], ["\u{ffff}"], ["\u{10000}"], ["\u{10ffff}"],
        [date(.min)], [date(-1)], [date(-1, 0)], [date(0)], [date(0, -1439)], [date(0, -1)], [date(0, 0)],
        [date(0, 1)], [date(0, 1439)], [date(1)], [date(255)], [date(256)], [date(.max)], [date(.max, -1439)],
        [.bytes([])], [.bytes([0])], [.bytes([0, 0])], [.bytes([0, 1])], [.bytes([0, 0xfe])], [.bytes([0, 0xff])],
        [.bytes([1])], [.bytes([0xfe])], [.bytes([0xff])], [.bytes([0xff, 0])], [.bytes([0xff, 0xff])],
    ]

    private static let containers: [[DocumentValue?]] = [
        [.array([])], [.array([.null])], [.array([0, ""]), .array([-0.0, ""])], [.array([1]), .array([1.0])],
        [.array([1, .null]), .array([1.0, .null])], [.array([1, 2])], [.array([1.5])], [.array([""])], [.array(["a"])],
        [.array(["a", .null])], [.array(["a", .object([:])])], [.array(["a\0"])], [.array(["aa"])],
        [.array([date(0)])], [.array([.bytes([0])])], [.array([.array([])])], [.array([.array([]), 1])],
        [.array([.array([1]), 1]), .array([.array([1.0]), 1])], [.array([.object([:])])],
        [.object([:])], [.object(["": 1])], [.object(["a": .null])], [.object(["a": 1]), .object(["a": 1.0])],
        [.object(["a": 1, "b": 2]), .object(["b": 2.0, "a": 1])], [.object(["a": 1, "c": 0])], [.object(["a": 2])],
        [.object(["a": .object(["x": 1, "y": 2])]), .object(["a": .object(["y": 2, "x": 1])])], [.object(["a\0": 1])],
        [.object(["b": 1])],
    ]

    /// Returns a date, with a zone if `offset` is given, in minutes.
    package static func date(_ milliseconds: Int64, _ offset: Int? = nil) -> DocumentValue {
        let zoned = offset.flatMap { DocumentDate(milliseconds: milliseconds, offsetMinutes: $0) }
        return .date(zoned ?? DocumentDate(milliseconds: milliseconds))
    }
}
