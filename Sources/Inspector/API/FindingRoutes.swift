internal import DocIndex
internal import DocSync

/// Searches, places and times of a collection, as their pages show them.
struct FindingRoutes: Sendable {
    let target: Target

    /// Returns what reads the answer; `nil` if no route matches.
    func reader(_ what: String) throws -> (@Sendable (ReadableCollection) throws -> DocumentObject)? {
        switch what {
        case "search": try search()
        case "completions": try completions()
        case "suggestions": try suggestions()
        case "near": try near()
        case "histogram": try histogram()
        default: nil
        }
    }

    private func search() throws -> @Sendable (ReadableCollection) throws -> DocumentObject {
        let request = try SearchRequest(try Parameters(target, known: SearchRequest.names))
        guard !request.words.isEmpty else { throw Self.noWords }
        return { collection in
            let result = try request.run(on: collection)
            var answer: DocumentObject = [
                "hits": .array(result.hits.map(Self.json)), "notes": .array(result.notes.map { .string($0) }),
                "suggestions": .array(result.corrections.map(Self.json)), "ms": .double(result.milliseconds),
            ]
            if let total = result.total {
                answer["total"] = .int(Int64(total.count))
                answer["isExact"] = .bool(total.isExact)
            }
            return answer
        }
    }

    private static let noWords = Problem(.badRequest, "q must contain the words to search for.", parameter: "q")

    private static func json(_ hit: SearchRequest.Result.Hit) -> DocumentValue {
        [
            "id": hit.id.value, "score": .double(hit.score), "title": .string(hit.title),
            "snippets": .array(
                hit.snippets.map { snippet in
                    [
                        "field": .string(snippet.field),
                        "parts": .array(
                            snippet.text.parts.map { ["text": .string($0.text), "isMatch": .bool($0.isMatch)] }),
                    ]
                }),
        ]
    }

    private static func json(_ correction: DocumentCollection.Correction) -> DocumentValue {
        ["word": .string(correction.word), "words": .array(correction.suggestions.map(json))]
    }

    private static func json(_ word: DocumentCollection.IndexedWord) -> DocumentValue {
        ["word": .string(word.written), "count": .int(Int64(word.documentCount))]
    }

    private func completions() throws -> @Sendable (ReadableCollection) throws -> DocumentObject {
        let parameters = try Parameters(target, known: ["q", "limit"])
        guard let words = parameters["q"] else { throw Self.noWords }
        let limit = try parameters.number("limit", in: 1...100) ?? 10
        return { collection in
            ["completions": .array(try collection.completions(of: words, limit: limit).map(Self.json))]
        }
    }

    private func suggestions() throws -> @Sendable (ReadableCollection) throws -> DocumentObject {
        guard let words = try Parameters(target, known: ["q"])["q"] else { throw Self.noWords }
        return { collection in
            ["suggestions": .array(try collection.corrections(of: words).map(Self.json))]
        }
    }

    private func near() throws -> @Sendable (ReadableCollection) throws -> DocumentObject {
        let parameters = try Parameters(target, known: ["point", "within", "where", "limit"])
        let numbers = (parameters["point"] ?? "").split(separator: ",").map { Double($0) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
            let point = GeoPoint(latitude: latitude, longitude: longitude)
        else {
            throw Problem(
                .badRequest, "point must be LATITUDE,LONGITUDE in degrees, such as 38.72,-9.14.", parameter: "point")
        }
        let kilometers = try parameters["within"].map { text in
            guard let number = Double(text), number >= 0, number.isFinite else {
                throw Problem(.badRequest, "within must be a distance in kilometers, 0 or more.", parameter: "within")
            }
            return number
        }
        let filter = try parameters.filter()
        let limit = try parameters.number("limit", in: 1...TableRequest.largestCount) ?? 20
        return { collection in
            guard let field = try CollectionProfile(of: collection).location else {
                throw Problem(.badRequest, "No field with locations was found; an index of type geo names it.")
            }
            let found = try collection.nearest(
                field, to: point, within: kilometers.map { $0 * 1000 }, where: filter, limit: limit)
            return [
                "documents": .array(
                    found.map { ["km": .double($0.meters.rounded() / 1000), "document": .object($0.document.content)] })
            ]
        }
    }

    private func histogram() throws -> @Sendable (ReadableCollection) throws -> DocumentObject {
        let parameters = try Parameters(target, known: ["where", "field", "by"])
        let filter = try parameters.filter()
        let unit = try parameters.choice("by", of: ["year", "month", "day"])
        let named = try parameters.paths("field")?.first
        return { collection in
            guard let path = try named ?? CollectionProfile(of: collection).date else {
                throw Problem(.badRequest, "No field with dates was found; name one with field=…", parameter: "field")
            }
            let histogram = try Histogram(
                of: collection, path, by: unit.flatMap { DocumentCollection.Timeline.Unit(rawValue: $0) }, where: filter
            )
            return [
                "field": .string(path.description), "by": .string(histogram.unit.rawValue),
                "periods": .array(
                    histogram.timeline.entries.map {
                        ["period": .string("\($0.period)"), "count": .int(Int64($0.count))]
                    }), "missing": .int(Int64(histogram.timeline.missingCount)),
            ]
        }
    }
}
