/// How the stored rows and columns of a picture are to be shown (Exif 2.32, tag 0x0112).
package enum PictureOrientation: Int, Sendable, CaseIterable {
    case normal = 1
    case mirrored = 2
    case turned180 = 3
    case flipped = 4
    /// Rows become columns.
    case transposed = 5
    /// To be turned by 90° clockwise.
    case turned90 = 6
    case transversed = 7
    /// To be turned by 270° clockwise.
    case turned270 = 8

    /// Whether width and height are exchanged.
    package var swapsSides: Bool { rawValue >= 5 }

    /// Returns where the pixel that is shown at a position is stored.
    ///
    /// - Parameters:
    ///   - x: the column in the shown picture.
    ///   - y: the row in the shown picture.
    ///   - width: the width of the stored picture.
    ///   - height: the height of the stored picture.
    package func storedPosition(x: Int, y: Int, width: Int, height: Int) -> (x: Int, y: Int) {
        switch self {
        case .normal: (x, y)
        case .mirrored: (width - 1 - x, y)
        case .turned180: (width - 1 - x, height - 1 - y)
        case .flipped: (x, height - 1 - y)
        case .transposed: (y, x)
        case .turned90: (y, height - 1 - x)
        case .transversed: (width - 1 - y, height - 1 - x)
        case .turned270: (width - 1 - y, x)
        }
    }
}
