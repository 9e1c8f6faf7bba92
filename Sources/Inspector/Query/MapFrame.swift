internal import DocIndex

/// The part of the earth that a map shows, and where its points are on the map: equirectangular, with longitudes shortened
/// by the cosine of the latitude in the middle.
struct MapFrame: Sendable, Hashable {
    /// The width of a map. Heights follow from the frame.
    static let width = 1000.0
    private static let heights = 300.0...650.0

    private(set) var south: Double
    private(set) var west: Double
    private(set) var north: Double
    private(set) var east: Double

    /// Creates the frame of points: without the outermost hundredth on each side, so that one wrong point does not make
    /// the map a map of the world.
    ///
    /// - Returns: `nil` without points.
    init?(of points: [GeoPoint]) {
        let latitudes = points.map(\.latitude).sorted()
        let longitudes = points.map(\.longitude).sorted()
        guard let south = Self.percentile(latitudes, 0.01), let north = Self.percentile(latitudes, 0.99),
            let west = Self.percentile(longitudes, 0.01), let east = Self.percentile(longitudes, 0.99)
        else { return nil }
        (self.south, self.west, self.north, self.east) = (south, west, north, east)
        pad()
        fit()
    }

    private static func percentile(_ sorted: [Double], _ part: Double) -> Double? {
        guard !sorted.isEmpty else { return nil }
        // Of a few points, all belong. Of more, at least one may be wrong.
        guard sorted.count >= 50 else { return part < 0.5 ? sorted.first : sorted.last }
        let omitted = Int((Double(sorted.count) * min(part, 1 - part)).rounded(.up))
        return part < 0.5 ? sorted[omitted] : sorted[sorted.count - 1 - omitted]
    }

    /// Leaves room at the edges.
    private mutating func pad() {
        let vertical = max(0.005, (north - south) * 0.06)
        let horizontal = max(0.005, (east - west) * 0.06)
        south = max(-90, south - vertical)
        north = min(90, north + vertical)
        west = max(-180, west - horizontal)
        east = min(180, east + horizontal)
    }

    /// Widens the frame until its height is suitable.
    private mutating func fit() {
        if height > Self.heights.upperBound {
            let missing = (east - west) * (height / Self.heights.upperBound - 1) / 2
            west = max(-180, west - missing)
            east = min(180, east + missing)
        } else if height < Self.heights.lowerBound {
            let missing = (north - south) * (Self.heights.lowerBound / height - 1) / 2
            south = max(-90, south - missing)
            north = min(90, north + missing)
        }
    }

    private var shortening: Double { max(0.05, Self.cosine((south + north) / 2)) }

    /// The cosine of an angle in degrees, by its series: exact enough for a map, and the same everywhere.
    static func cosine(_ degrees: Double) -> Double {
        let x = degrees * .pi / 180
        let y = x * x
        return 1 - y / 2 * (1 - y / 12 * (1 - y / 30 * (1 - y / 56 * (1 - y / 90))))
    }

    /// The height of the map.
    var height: Double { min(900, (north - south) / ((east - west) * shortening) * Self.width) }

    /// The place of a point on the map; `nil` if it is outside.
    func place(of point: GeoPoint) -> (x: Double, y: Double)? {
        guard (south...north).contains(point.latitude), (west...east).contains(point.longitude) else { return nil }
        return (x(of: point.longitude), y(of: point.latitude))
    }

    func x(of longitude: Double) -> Double { (longitude - west) / (east - west) * Self.width }
    func y(of latitude: Double) -> Double { (north - latitude) / (north - south) * height }

    /// The whole frame as a box.
    var box: GeoBox? { GeoBox(south: south, west: west, north: north, east: east) }

    /// The latitudes or longitudes of lines, at round numbers.
    static func lines(from lower: Double, to upper: Double) -> (step: Double, degrees: [Double]) {
        let steps = [60, 30, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]
        let step = steps.last { (upper - lower) / $0 <= 8 } ?? 60
        var degrees: [Double] = []
        var line = (lower / step).rounded(.up) * step
        while line <= upper, degrees.count < 20 {
            degrees.append((line * 1000).rounded() / 1000)
            line += step
        }
        return (step, degrees)
    }
}

/// The points of a map in cells of a grid.
struct MapCells: Sendable {
    struct Cell: Sendable {
        var count = 0
        var x = 0.0
        var y = 0.0
        let box: GeoBox
        fileprivate var names: [String: Int] = [:]

        /// The most frequent name of a place; `nil` if the points have none.
        var name: String? {
            names.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        }
    }

    static let columnCount = 28

    let frame: MapFrame
    /// The cells with points, the fullest first.
    private(set) var cells: [Cell] = []
    /// The number of points outside the frame.
    private(set) var outsideCount = 0

    init(_ points: [(point: GeoPoint, name: String?)], in frame: MapFrame) {
        self.frame = frame
        let size = MapFrame.width / Double(Self.columnCount)
        var found: [Int: Cell] = [:]
        for (point, name) in points {
            guard let place = frame.place(of: point) else {
                outsideCount += 1
                continue
            }
            let column = min(Self.columnCount - 1, Int(place.x / size))
            let row = Int(place.y / size)
            guard var cell = found[row * 1000 + column] ?? Self.cell(row, column, size, frame) else { continue }
            cell.count += 1
            cell.x += place.x
            cell.y += place.y
            if let name { cell.names[name, default: 0] += 1 }
            found[row * 1000 + column] = cell
        }
        cells = found.values.map { cell in
            var cell = cell
            cell.x /= Double(cell.count)
            cell.y /= Double(cell.count)
            return cell
        }.sorted { ($1.count, $0.y, $0.x) < ($0.count, $1.y, $1.x) }
    }

    private static func cell(_ row: Int, _ column: Int, _ size: Double, _ frame: MapFrame) -> Cell? {
        let (width, height) = (frame.east - frame.west, frame.north - frame.south)
        let west = frame.west + Double(column) * size / MapFrame.width * width
        let north = frame.north - Double(row) * size / frame.height * height
        let east = min(180, west + size / MapFrame.width * width)
        let south = max(-90, north - size / frame.height * height)
        return GeoBox(south: south, west: west, north: north, east: east).map { Cell(box: $0) }
    }
}
