import ArgumentParser
import DocIndex

/// Finds the documents nearest to a point.
struct NearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "near", abstract: "Find the documents nearest to a point, with the distance in kilometers.",
        discussion: """
            Example: lkrepl near photos.store photos 38.72,-9.14 --within 5 --limit 10 --fields id,title
            The point is LATITUDE,LONGITUDE in degrees. The location is in the field of the collection's index of type \
            geo, or in the first of gps, location, Composite:GPSPosition, Composite:GPSLatitude and \
            Composite:GPSLongitude, GPS:GPSLatitude and GPS:GPSLongitude, GPSLatitude and GPSLongitude that documents \
            have; --location names another field. Documents without a location are left out. An index of type geo \
            makes it fast.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var shape: RowShape
    @OptionGroup var conditions: ConditionOptions
    @Argument(help: "The store.") var database: String
    @Argument(help: "The collection.") var collection: String
    @Argument(help: "The point: LATITUDE,LONGITUDE.") var point: String
    @Argument(help: "The condition. Default: all documents.") var condition: [String] = []
    @Option(
        name: .long, parsing: .unconditional,
        help: "Return documents at most this far away: kilometers, or meters as in 500m.")
    var within: String?
    @Option(name: .long, parsing: .unconditional, help: "Return at most this many.") var limit = 20
    @Option(
        name: .long, parsing: .unconditional,
        help: "Set the field of the location, or its latitude and longitude fields, separated by a comma.")
    var location: String?

    /// The name of the column with the distance.
    static let column = "km"

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit must be 0 or more") }
    }

    func run() throws {
        let center = try Self.point(ArgumentOrigin.current.text(of: ProtectedArgument.plain(point)))
        let meters = try within.map { try Self.meters(ArgumentOrigin.current.text(of: ProtectedArgument.plain($0))) }
        let condition = try conditions.filter(words: condition)
        let shown = try shape.selection()
        let named = try location.map { try Self.field(ArgumentOrigin.current.text(of: ProtectedArgument.plain($0))) }
        try Session.with(database, options) { session in
            let source = try session.selection(collection)
            let filter = try source.filter(condition)
            let collection = source.collection
            let field = try named ?? Self.field(of: collection)
            let query = Query(nearest: field, to: center, within: meters, where: filter, limit: limit)
            try conditions.requireSound(query, fields: shown.paths, in: collection)
            let ids = try shape.printsRawIDs(options) ? IDWriter(endsWithZero: shape.endsWithZero) : nil
            let writer =
                ids != nil
                ? nil : try shown.writer(options, of: collection, isWide: shape.wide, leading: [Self.column])
            var found = false
            let execution = try collection.forEachNeighbor(
                field, of: center, within: meters, where: filter, limit: limit, options: conditions.queryOptions
            ) { neighbor in
                found = true
                let kilometers = DocumentValue.double((neighbor.meters).rounded() / 1000)
                if let ids {
                    try ids.write(neighbor.document.id)
                } else {
                    try writer?.write(shown.row(neighbor.document, leading: [Self.column: kilometers]))
                }
                return true
            }
            if let ids { try ids.finish(isQuiet: options.quiet) } else { try writer?.finish() }
            options.detail(
                "plan: \(execution.plan); \(execution.workText)"
            )
            try conditions.warn(of: query, fields: shown.paths, in: collection, foundSomething: found, options)
            if named == nil, !options.quiet { try tellOther(than: field, in: collection) }
        }
    }

    /// Tells of a document whose only location is in another usual field than the one that was used.
    private func tellOther(than field: GeoField, in collection: DocumentCollection) throws {
        guard collection.definition.indexes.allSatisfy({ $0.kind != .geo }) else { return }
        let others = GeoField.usual.filter { $0 != field }
        let missed = Query(.and([.not(Self.hasLocation(field)), .or(others.map(Self.hasLocation))]), limit: 1)
        guard let document = try collection.find(missed).first,
            let other = others.first(where: { Self.hasLocation($0).matches(document.content) })
        else { return }
        let names = { (field: GeoField) in field.paths.map(\.description).joined(separator: ",") }
        options.note(
            "near: the locations in \(names(field)) were used; other documents have theirs in \(names(other)): add "
                + "--location \(ShellWord.quoted(names(other)))")
    }

    // MARK: - Arguments

    private static func point(_ text: String) throws -> GeoPoint {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0.trimmingPrefix(" "))
        }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
            throw CommandError(
                .usage, "\(text) is not a point",
                hint: (text.hasSuffix(",") ? "leave out the space after the comma: " : "")
                    + "write LATITUDE,LONGITUDE in degrees, such as 38.72,-9.14; south and west are negative")
        }
        guard let point = GeoPoint(latitude: latitude, longitude: longitude) else {
            throw CommandError(
                .usage, "\(text) is not a point: a latitude is from -90 to 90, and a longitude from -180 to 180",
                hint: abs(latitude) > 90 && abs(longitude) <= 90
                    ? "write the latitude first" : "south and west are negative")
        }
        return point
    }

    private static func meters(_ text: String) throws -> Double {
        let (digits, factor) =
            text.hasSuffix("km")
            ? (text.dropLast(2), 1000.0) : text.hasSuffix("m") ? (text.dropLast(), 1) : (text[...], 1000)
        guard let number = Double(digits), number >= 0, number.isFinite else {
            throw CommandError(.usage, "--within \(text) is not a distance", hint: "write kilometers, or 500m")
        }
        return number * factor
    }

    private static func field(_ text: String) throws -> GeoField {
        let paths = try text.split(separator: ",", omittingEmptySubsequences: false).map {
            try FieldPath(parsing: String($0))
        }
        switch paths.count {
        case 1: return .location(paths[0])
        case 2: return .coordinates(latitude: paths[0], longitude: paths[1])
        default:
            throw CommandError(
                .usage, "--location takes one or two fields, not \(paths.count) (\(text))",
                hint: "name the field of the location, or its latitude and longitude fields")
        }
    }

    /// Whether a document has a location in a field, and not something else, such as the name of a place.
    private static func hasLocation(_ field: GeoField) -> Filter {
        let everywhere = GeoBox(south: -90, west: -180, north: 90, east: 180).map { [Filter.isWithin(field, $0)] } ?? []
        return .and(field.paths.map { .exists($0) } + everywhere)
    }

    /// The field of a collection's locations: that of its index, or a usual one that a document has.
    static func field(of collection: DocumentCollection) throws -> GeoField {
        let indexes = collection.definition.indexes.filter { $0.kind == .geo }
        if indexes.count > 1 {
            throw CommandError(
                .usage, "the collection \(collection.name) has \(indexes.count) indexes of type geo",
                hint: "choose one: "
                    + indexes.map { "--location \($0.fields.map(\.description).joined(separator: ","))" }
                    .joined(separator: " or "))
        }
        if let fields = indexes.first?.fields {
            return fields.count == 2
                ? .coordinates(latitude: fields[0], longitude: fields[1]) : .location(fields[0])
        }
        for field in GeoField.usual where try !collection.find(Query(hasLocation(field), limit: 1)).isEmpty {
            return field
        }
        throw CommandError(
            .usage, "no document of \(collection.name) has a location in a usual field",
            hint: "name the field with --location, such as --location place.lat,place.lon")
    }
}
