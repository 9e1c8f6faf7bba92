import DocIndex
import GRDB
import Harness

/// One kind of query, asked of both sides with several values.
struct Question {
    let name: String
    /// Whether the answer has documents, so that it can be given in both forms.
    var hasDocuments = true
    /// How often it is asked in a round, with other values each time.
    let count: Int
    /// The answer to the query with the values of a number: ids, or counts as text.
    let ours: (_ number: Int, AnswerForm) throws -> [String]
    let peer: (_ number: Int, AnswerForm) throws -> [String]
}

/// Values to ask for, drawn from the records so that there is something to find.
struct AskedValues {
    var creators: [String] = []
    var keywords: [String] = []
    var keywordLists: [[String]] = []
    var years: [ClosedRange<Int>] = []
    var widths: [Int] = []
    var points: [GeoPoint] = []

    /// - Parameter path: a file of records.
    init(path: String, recordCount: Int, count: Int) throws {
        var random = SplitMix64(state: 41)
        var keywordCounts: [String: Int] = [:]
        var creatorCounts: [String: Int] = [:]
        let reader = try LineReader(path: path, count: min(recordCount, 120_000))
        while let line = reader.next() {
            let content = try QueryStore.content(line)
            for keyword in content["keywords"]?.arrayValue?.compactMap(\.stringValue) ?? [] {
                keywordCounts[keyword, default: 0] += 1
            }
            if let creator = content["creator"]?.stringValue { creatorCounts[creator, default: 0] += 1 }
            if let gps = content["gps"]?.objectValue, let latitude = gps["lat"]?.numberValue,
                let longitude = gps["lon"]?.numberValue, random.next() % 100 < 1 || points.count < count,
                let point = GeoPoint(latitude: latitude, longitude: longitude)
            {
                points.append(point)
            }
        }
        // Neither those that hardly any picture has, nor those that describe half of them.
        let smallest = min(20, recordCount / 100)
        func usual(_ counts: [String: Int]) -> [String] {
            counts.filter { $0.value >= smallest && $0.value <= max(500, smallest) }.keys.sorted()
        }
        let (usualCreators, usualKeywords) = (usual(creatorCounts), usual(keywordCounts))
        guard !usualCreators.isEmpty, !usualKeywords.isEmpty, !points.isEmpty else {
            throw BenchmarkError("the records have no creators, keywords or locations to ask for")
        }
        func pick<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
        creators = (0..<count).map { _ in pick(usualCreators) }
        keywords = (0..<count).map { _ in pick(usualKeywords) }
        keywordLists = (0..<count).map { _ in (0..<40).map { _ in pick(usualKeywords) } }
        years = (0..<count).map { _ in
            let first = 1780 + Int(random.next() % 180)
            return first...first + 5
        }
        widths = (0..<count).map { _ in 200 + Int(random.next() % 400) }
        points = (0..<count).map { _ in pick(points) }
    }
}
