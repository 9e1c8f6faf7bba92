internal import Pictures

/// A decoded picture: rows from top to bottom, without gaps; one byte for each pixel of a gray picture, three (red, green,
/// blue) for each of a colored one.
struct Pixels: Sendable, Hashable {
    let width: Int
    let height: Int
    /// 1 or 3.
    let channelCount: Int
    /// `width * height * channelCount` bytes.
    let bytes: [UInt8]

    /// Returns the picture turned upright.
    ///
    /// - Complexity: O(*n*) in the number of pixels.
    func oriented(_ orientation: PictureOrientation) -> Pixels {
        guard orientation != .normal else { return self }
        let (width, height) = orientation.swapsSides ? (height, width) : (width, height)
        let origin = offset(of: orientation.storedPosition(x: 0, y: 0, width: self.width, height: self.height))
        // The distances in the stored picture between neighbors of the shown one.
        let column = offset(of: orientation.storedPosition(x: 1, y: 0, width: self.width, height: self.height)) - origin
        let row = offset(of: orientation.storedPosition(x: 0, y: 1, width: self.width, height: self.height)) - origin
        let turned = unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { target, count in
            unsafe bytes.withUnsafeBufferPointer { source in
                var next = 0
                for y in 0..<height {
                    var from = origin + y * row
                    for _ in 0..<width {
                        for channel in 0..<channelCount {
                            unsafe target.initializeElement(at: next, to: source[from + channel])
                            next += 1
                        }
                        from += column
                    }
                }
                count = next
            }
        }
        return Pixels(width: width, height: height, channelCount: channelCount, bytes: turned)
    }

    private func offset(of position: (x: Int, y: Int)) -> Int { (position.y * width + position.x) * channelCount }
}
