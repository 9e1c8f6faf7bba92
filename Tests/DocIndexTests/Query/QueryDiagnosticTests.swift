import LevelKit
import TestSupport
import Testing

@testable import DocIndex

/// What is reported about queries that look like mistakes, and that nothing is reported about correct queries with few
/// results.
@Suite struct QueryDiagnosticTests {
    private static let schema = Schema(collections: [
        CollectionDefinition(
            "photos",
            indexes: [
                .value("rating", on: "rating"), .value("keywords", on: "keywords[]"), .value("model", on: "exif.model"),
                .value("planned", on: "planned"),
            ])
    ])

    /// Two hundred pictures of one form, and some with an extra field.
    private static let documents: [DocumentObject] = {
        var documents: [DocumentObject] = []
        for number in 0..<200 {
            var document: DocumentObject = ["keywords": ["sea", "fog"], "number": "1885", "caption": nil]
            document["id"] = .string("img-\(number)")
            document["title"] = .string("Harbour \(number)")
            document["rating"] = .int(Int64(number % 6))
            document["year"] = .int(Int64(1900 + number % 100))
            document["isPublic"] = .bool(number % 2 == 0)
            document["taken"] = .date(DocumentDate(milliseconds: Int64(number) * 86_400_000))
            document["ExifIFD:DateTimeOriginal"] = .string("2003:0\(1 + number % 9):11 10:00:00")
            document["exif"] = ["model": "X100V", "iso": 200, "lens": "23mm"]
            document["gps"] = ["lat": 54.2, "lon": -0.4]
            document["people"] = [["name": "Ada", "age": 36]]
            document["places"] = ["Halifax", "England"]
            document["thumbnail"] = .bytes([1, 2])
            document["weight"] = .string("\(number)")
            documents.append(document)
        }
        documents.append(["id": "odd-1", "rating": "unrated", "flash": true, "note": "restored"])
        documents.append(["id": "odd-2", "creator": "Ada", "keywords": "single", "scanner": ["dpi": 600]])
        documents.append(["id": "odd-3", "year": "about 1930", "albums": [["name": "Wedding", "page": 3]]])
        return documents
    }()

    /// Conditions that are mistakes, and part of the expected diagnostic.
    static let mistakes: [(String, String)] = [
        // Names.
        ("ratng = 5", "rating"), ("raiting = 5", "rating"), ("Rating = 5", "rating"), ("ratings = 5", "rating"),
        ("rating5 = 5", "rating"), ("titel = x", "title"), ("tilte ^= Harb", "title"), ("Title = x", "title"),
        ("title_ = x", "title"), ("yaer = 1930", "year"), ("yeer > 1930", "year"), ("YEAR = 1930", "year"),
        ("keyword = sea", "keywords"), ("keywrds[] = sea", "keywords"), ("keywords2 has sea", "keywords"),
        ("tkaen > date 1970", "taken"), ("takn > date 1970", "taken"), ("taken_ > date 1970", "taken"),
        ("model = X100V", "exif.model"), ("exif.modell = X100V", "exif.model"), ("exif.Model = X", "exif.model"),
        ("Exif.model = X", "exif.model"), ("exf.model = X", "exif.model"), ("iso > 100", "exif.iso"),
        ("ISO > 100", "exif.iso"), ("exif.ios > 100", "exif.iso"), ("lens *= 23", "exif.lens"),
        ("exif.len = x", "exif.lens"), ("lat > 50", "gps.lat"), ("gps.latitude > 50", "gps.lat"),
        ("gps.long > 50", "gps.lon"), ("gps.alt > 50", "gps.lat"), ("GPS.lat > 50", "gps.lat"),
        ("DateTimeOriginal >= 2003-01-01", "ExifIFD:DateTimeOriginal"),
        ("datetimeoriginal >= 2003-01-01", "ExifIFD:DateTimeOriginal"),
        ("exififd:datetimeoriginal >= 2003-01-01", "ExifIFD:DateTimeOriginal"),
        ("EXIF:DateTimeOriginal >= 2003-01-01", "ExifIFD:DateTimeOriginal"),
        ("person[].name = Ada", "people[].name"), ("people[].nme = Ada", "people[].name"),
        ("people any (nmae = Ada)", "people[].name"), ("people any (ages = 36)", "people[].age"),
        ("name = Ada", "people[].name"), ("age > 30", "people[].age"), ("public = true", "isPublic"),
        ("ispublic = true", "isPublic"), ("is_public = true", "isPublic"), ("numbr = 1885", "number"),
        ("captoin = x", "caption"), ("thumnail exists", "thumbnail"), ("ratng missing", "rating"),
        ("captoin exists", "caption"), ("not titel exists", "title"), ("camera = x", "no document has a field camera"),
        ("colour = red", "no document has a field colour"), ("rating = 9 and ratng = 1", "rating"),
        ("ratng in (1, 2)", "rating"), ("ratng between 1 and 2", "rating"), ("titel matches /x/", "title"),
        ("titel *= x", "title"), ("yaer mod 2, 1", "year"), ("keyword size 2", "keywords"),
        ("month(takn) = 6", "taken"),
        ("year(date) = 1930", "no document has a field date"), ("takn between 1970-01-01 and 1980-01-01", "taken"),
        ("gsp near 54, 0, 1km", "gps"), ("lat,lon near 54, 0, 1km", "gps.lat"), ("ratng collates > 1", "rating"),
        ("ratng is number", "rating"), ("keywors below sea", "keywords"), ("ratng = 5 or yaer = 1930", "rating"),
        ("ratng = 5 or yaer = 1930", "year"), ("not (ratng = 5 or rating >= 0 or rating exists) and id = x", "rating"),
        // Types.
        ("gps.lat = '54'", "gps.lat = 54"), ("exif.iso = '200'", "exif.iso = 200"), ("exif.iso >= four", "numbers"),
        ("exif.iso ^= 2", "numbers"), ("exif.iso *= 2", "numbers"), ("exif.iso matches /2/", "numbers"),
        ("exif.iso in ('200', '400')", "exif.iso IN (200, 400)"), ("exif.iso = true", "numbers"),
        ("isPublic = 'true'", "isPublic = true"), ("isPublic = 1", "booleans"), ("isPublic = yes", "booleans"),
        ("number = 1885", "number = \"1885\""), ("number > 1800", "number > \"1800\""), ("number mod 2, 1", "strings"),
        ("weight > 40", "matches nothing; strings are ordered by their characters"), ("weight = 40", "weight = \"40\""),
        ("weight < 7", "matches nothing; strings are ordered by their characters"),
        ("title = 5", "title = \"5\""), ("title between 1 and 5", "strings"), ("people = Ada", "arrays"),
        ("places = Halifax", "places HAS \"Halifax\""), ("places ^= Hal", "places[] ^= \"Hal\""),
        ("places in (Halifax, Leeds)", "places[] IN"), ("places = 5", "arrays"),
        ("people[].name = 5", "people[].name = \"5\""), ("people[].age = '36'", "people[].age = 36"),
        ("exif = X100V", "objects"), ("gps = 54", "objects"), ("thumbnail = x", "bytes"), ("thumbnail ^= x", "bytes"),
        ("taken = 1970", "date 1970"), ("taken = true", "dates"), ("taken ^= 1970", "dates"), ("taken *= 0", "dates"),
        // Dates.
        ("taken > yesterday", "dates"), ("taken = yesterday", "dates"),
        ("ExifIFD:DateTimeOriginal > yesterday", "2019-06-08"), ("ExifIFD:DateTimeOriginal >= lastweek", "2019-06-08"),
        ("ExifIFD:DateTimeOriginal >= 2003", "date 2003"), ("month(title) = 6", "strings"),
        ("title >= 1970-01-01", "strings"),
        ("exif.iso >= 1970-01-01", "numbers"), ("hour(exif.iso) > 3", "numbers"), ("taken < z", "dates"),
        // Locations.
        ("title near 54, 0, 1km", "title holds strings, none of them a location"),
        ("number,weight within 1, 1, 2, 2", "weight holds strings, none of them a location"),
        ("exif.iso,number near 54, 0, 1km", "number holds strings, none of them a location"),
        ("exif near (54, 0, 1km)", "exif holds objects, none of them a location"),
    ]

    /// Correct conditions that few or no documents satisfy.
    static let sparse: [String] = [
        "flash = true", "flash = false", "flash exists", "flash missing", "note = restored", "note ^= rest",
        "note *= tor", "note matches /^x/", "note = unknown", "creator = Ada", "creator = Bo", "creator in (Bo, Cy)",
        "creator exists and rating = 9", "scanner.dpi = 600", "scanner.dpi > 1200", "scanner.dpi between 1 and 2",
        "scanner exists", "albums[].name = Wedding", "albums[].name = x", "albums any (name = x and page = 3)",
        "albums any (page > 99)", "albums[].page >= 4", "albums size 3", "rating = unrated", "rating = 'unrated'",
        "rating ^= un", "rating *= xyz", "rating matches /^z/", "rating = 99", "rating < 0", "rating in (77, 78)",
        "rating between 90 and 99", "rating is string", "rating is array", "rating mod 7, 6", "year = 'about 1930'",
        "year = 'about 1999'", "year ^= about", "year > 3000", "year < 0 and rating > 3", "year = 1850",
        "keywords = single", "keywords = double", "keywords has single", "keywords has lighthouse",
        "keywords[] = lighthouse", "keywords[] ^= light", "keywords below 'a|b'", "keywords size 7", "title = x",
        "title ^= Zebra", "title *= zebra", "title matches /zebra/", "title in (a, b)", "title > zzzz", "title < A",
        "title between x and y", "title = 'Harbour 999'", "caption = null and rating = 99", "caption missing",
        "caption exists and year = 1850", "isPublic = true and rating = 99", "isPublic in (true) and year = 1850",
        "taken > 2050-01-01", "taken < 1950-01-01", "taken = 1969-12-31", "taken between 1950-01-01 and 1951-01-01",
        "taken between 2050-01-01 and 2051-01-01", "year(taken) = 2050", "month(taken) = 6 and year = 1850",
        "hour(taken) = 23",
        "ExifIFD:DateTimeOriginal >= 2050-01-01", "ExifIFD:DateTimeOriginal < 2000-01-01",
        "ExifIFD:DateTimeOriginal = '2003:01:11 10:00:01'", "ExifIFD:DateTimeOriginal ^= 2050",
        "month(ExifIFD:DateTimeOriginal) = 12", "number = '1886'", "number ^= 9", "exif.model = D90",
        "exif.model = X100V and rating = 99", "exif.model ^= NIKON", "exif.iso = 12800", "exif.iso > 6400",
        "exif.iso in (1, 2, 3)", "exif.lens = 85mm", "gps.lat > 80", "gps near 0, 0, 1km", "gps within 1, 1, 2, 2",
        "gps within (1, 1, 2, 2)",
        "gps.lat,gps.lon near 0, 0, 1km", "people[].name = Bo", "people[].age > 90",
        "people any (name = Bo and age = 3)",
        "people[].age between 80 and 90", "thumbnail exists and year = 1850", "id = img-1", "id = nothing",
        "id ^= zzz", "planned = 5", "planned exists", "planned > x", "zzz missing", "not (rating >= 0)",
        "rating = 99 or year = 1850", "not keywords has sea and not keywords = single and rating exists",
    ]

    private func withPhotos(_ body: (DocumentCollection) throws -> Void) throws {
        try withTemporaryStore(schema: Self.schema) { store in
            try store.write { transaction in
                for document in Self.documents { try transaction.put(document, in: "photos") }
            }
            try body(try store.collection("photos"))
        }
    }

    @Test func `Each of a hundred mistakes is reported with the probable intention`() throws {
        #expect(Self.mistakes.count >= 100)
        try withPhotos { photos in
            for (condition, expected) in Self.mistakes {
                let query = Query(try Filter(parsing: condition))
                let told = try photos.diagnostics(of: query).map(\.description)
                #expect(told.contains { $0.contains(expected) }, "\(condition): \(told)")
            }
        }
    }

    @Test func `Nothing is reported about a hundred correct conditions with few results`() throws {
        #expect(Self.sparse.count >= 100)
        try withPhotos { photos in
            for condition in Self.sparse {
                let query = Query(try Filter(parsing: condition))
                let told = try photos.diagnostics(of: query)
                #expect(told.isEmpty, "\(condition): \(told)")
                let hasResults = try photos.count(where: query.filter) > 0
                #expect(try photos.diagnostics(of: query, foundSomething: hasResults).isEmpty)
            }
        }
    }

    @Test func `A suggested condition can be run and is not reported as a mistake`() throws {
        try withPhotos { photos in
            var count = 0
            for (condition, _) in Self.mistakes {
                for diagnostic in try photos.diagnostics(of: Query(try Filter(parsing: condition))) {
                    guard case .otherKinds = diagnostic.problem else { continue }
                    for suggestion in diagnostic.suggestions {
                        count += 1
                        let query = Query(try Filter(parsing: suggestion))
                        #expect(try photos.diagnostics(of: query).isEmpty, "\(condition): \(suggestion)")
                    }
                }
            }
            #expect(count > 10)
        }
    }

    @Test(arguments: [
        ("keywords has see", "sea"), ("keywords has fgo", "fog"), ("keywords has seaa", "sea"),
        ("keywords has singel", "single"), ("keywords[] = FGO", "fog"), ("exif.model = Z100V", "X100V"),
    ]) func `A slip in a string of an index is reported with a condition that finds documents`(
        condition: String, meant: String
    ) throws {
        try withPhotos { photos in
            let told = try photos.diagnostics(of: Query(try Filter(parsing: condition)))
            let suggestion = try #require(told.first?.suggestions.first, "\(told)")
            #expect(told.count == 1 && suggestion.contains("\"\(meant)\""), "\(told)")
            #expect(try photos.count(where: Filter(parsing: suggestion)) > 0)
        }
    }

    @Test(arguments: ["keywords has se", "keywords has sand", "exif.model = X200V", "people[].name = Adda"])
    func `A short string, another word, another number and a field without an index are not misspellings`(
        condition: String
    ) throws {
        try withPhotos { photos in
            let told = try photos.diagnostics(of: Query(try Filter(parsing: condition)))
            #expect(told.isEmpty, "\(told)")
        }
    }

    @Test func `Sorted and selected fields are diagnosed, but not conditions that results confirm`()
        throws
    {
        try withPhotos { photos in
            let query = Query(try Filter(parsing: "rating = 5"), sort: try Query.SortKey.parse("-takn,title"))
            let diagnostics = try photos.diagnostics(of: query, fields: ["titel", "flash", "id"], foundSomething: true)
            #expect(diagnostics.map(\.path) == ["takn", "titel"])
            #expect(diagnostics.map(\.suggestions) == [["taken"], ["title"]])
            #expect(diagnostics.allSatisfy { $0.condition == nil && $0.problem == .unknownField })
            let half = Query(try Filter(parsing: "rating = 5 or ratng = 5"))
            #expect(try photos.diagnostics(of: half, foundSomething: true).map(\.suggestions) == [["rating"]])
        }
    }

    @Test func `An empty collection gives no diagnostics`() throws {
        try withTemporaryStore(schema: Self.schema) { store in
            let query = Query(try Filter(parsing: "ratng = 5"))
            #expect(try store.collection("photos").diagnostics(of: query).isEmpty)
        }
    }
}
