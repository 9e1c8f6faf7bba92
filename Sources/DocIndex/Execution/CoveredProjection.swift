internal import LevelKit

/// Selected paths of documents, taken from index entries without reading the documents where possible.
///
/// An entry contains the values that its index covers, and the component values that can be restored from the key.
/// Numbers, arrays and objects are not restored: equal numbers of both kinds (`1` and `1.0`) have the same key. If an
/// entry is not sufficient, its document is read.
struct CoveredProjection {
    private let index: ValueIndex
    private let paths: [FieldPath]
    private let sources: [ValueIndex.ValuePlace]
    private let readsCovered: Bool

    /// Creates a projection; `nil` if the index contains no value for one of the paths.
    init?(_ paths: [FieldPath], in index: ValueIndex) {
        var sources: [ValueIndex.ValuePlace] = []
        for path in paths {
            let (component, covered) = index.places(of: path)
            guard let source = covered ?? component else { return nil }
            sources.append(source)
        }
        self.index = index
        self.paths = paths
        self.sources = sources
        readsCovered = sources.contains(where: \.isCovered)
    }

    /// Returns the values of the entry's document at the paths; `nil` if the entry is not sufficient.
    func object(key: Span<UInt8>, value: Span<UInt8>) -> DocumentObject? {
        var covered: [[DocumentValue]] = []
        if readsCovered {
            guard let values = CoveredValues.decode(value.copied(), count: index.definition.covered.count) else {
                return nil
            }
            covered = values
        }
        var result = DocumentObject()
        for (path, source) in zip(paths, sources) {
            switch source {
            case .covered(let position):
                if path.hasArrayStep {
                    result[path.description] = .array(covered[position])
                } else if let value = covered[position].first {
                    result[path.description] = value
                }
            case .component(let position):
                switch component(position, in: key) {
                case .missing: break
                case .value(.int), .value(.double), .value(.array), .value(.object), nil: return nil
                case .value(let value): result[path.description] = value
                }
            }
        }
        return result
    }

    private func component(_ position: Int, in key: Span<UInt8>) -> OrderedValue.Decoded? {
        var start = index.entryPrefix.count
        for earlier in 0..<position {
            guard let end = index.skip(earlier, in: key, from: start) else { return nil }
            start = end
        }
        guard let end = index.skip(position, in: key, from: start) else { return nil }
        return index.decoded(position, key.extracting(start..<end))
    }
}

extension IndexDefinition {
    /// Returns whether the index stores the values at all of these paths.
    func covers(_ paths: [FieldPath]) -> Bool { !paths.isEmpty && paths.allSatisfy(covered.contains) }
}
