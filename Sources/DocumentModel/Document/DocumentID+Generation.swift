internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DocumentID {
    /// Returns a new ID that sorts after those generated before: a version 7 UUID as a string (RFC 9562, section 5.7).
    /// It starts with the milliseconds since 1970, followed by a counter.
    public static func generated() -> DocumentID {
        let now = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
        let (time, counter) = lastGenerated.withLock { last -> (UInt64, UInt64) in
            if now > last.time {
                last = (now, UInt64.random(in: 0..<0x100))
            } else {
                // The clock went back, or there are many IDs in one millisecond. If the counter is full, the time
                // advances ahead of the clock.
                last.counter += 1
                if last.counter > 0xfff { last = (last.time + 1, 0) }
            }
            return last
        }
        let high = time << 16 | 0x7000 | counter
        let low = UInt64.random(in: 0...(.max >> 2)) | 1 << 63
        let digits = [high, low].flatMap { word in
            stride(from: 60, through: 0, by: -4).map { hexadecimal[Int(word >> UInt64($0) & 0xf)] }
        }
        var text: [UInt8] = []
        for (position, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(position) { text.append(0x2d) }
            text.append(digit)
        }
        return .string(String(decoding: text, as: UTF8.self))
    }

    /// Creates an ID from a UUID, as a lowercase string.
    public init(_ uuid: UUID) { self = .string(uuid.uuidString.lowercased()) }

    private static let lastGenerated = Mutex<(time: UInt64, counter: UInt64)>((0, 0))
    private static let hexadecimal = Array("0123456789abcdef".utf8)
}
