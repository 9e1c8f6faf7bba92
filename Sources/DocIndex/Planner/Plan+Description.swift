extension Plan: CustomStringConvertible {
    /// The plan in one line, without estimates.
    public var description: String {
        switch ordering {
        case .found: access.description
        case .top: access.description + ", keep the first"
        case .sort: access.description + ", then sort"
        }
    }
}

extension Plan.Access: CustomStringConvertible {
    /// A description of the access.
    public var description: String {
        switch self {
        case .nothing: "nothing can satisfy the condition"
        case .scan: "scan all documents"
        case .ranges(let scan): scan.description
        case .ids(let scan): "ids (\(scan.conditions.joined(separator: ", ")))"
        case .union(let parts): parts.map(\.description).joined(separator: " or ")
        case .intersection(let parts): parts.map(\.description).joined(separator: " and ")
        case .ordered(let scan, nil): scan.description
        case .ordered(let scan, let filter?): "\(scan) among the rows of \(filter)"
        case .nearest(let index, let center):
            "index \(index) around \(center.latitude), \(center.longitude), nearest first"
        case .search(let scan): scan.description
        case .ranked(let scan, nil): "\(scan), best first"
        case .ranked(let scan, let filter?): "\(scan), best first, among the rows of \(filter)"
        }
    }
}

extension Plan.IndexScan: CustomStringConvertible {
    /// The index and the conditions.
    public var description: String {
        let filter = filterConditions.isEmpty ? "" : "; filtered by \(filterConditions.joined(separator: ", "))"
        return "index \(index) (\(conditions.joined(separator: ", "))\(filter))"
    }
}

extension Plan.TextScan: CustomStringConvertible {
    /// The index and the conditions.
    public var description: String { "text index \(index) (\(conditions.joined(separator: ", ")))" }
}

extension Plan.OrderedIndexScan: CustomStringConvertible {
    /// The index, the direction and the conditions.
    public var description: String {
        "index \(index) in order\(isDescending ? ", backwards" : "")"
            + (conditions.isEmpty ? "" : " (\(conditions.joined(separator: ", ")))")
    }
}
