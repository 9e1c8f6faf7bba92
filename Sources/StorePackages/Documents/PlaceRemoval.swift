internal import DocIndex

/// Removes the places from documents, at any depth: the fields of geo indexes, members with the name of a place (see
/// ``PlaceName``), and values that describe a point.
///
/// Rather removes too much: a field that only looks like a place is removed too. Free text, such as a caption that names a
/// town, stays.
struct PlaceRemoval: Sendable {
    /// The fields of geo indexes, as the names of members.
    private let declared: [[String]]
    private let idField: String

    /// - Parameter definition: the collection of the documents.
    init(_ definition: CollectionDefinition) {
        idField = definition.idField
        declared = definition.indexes.filter { $0.kind == .geo }.flatMap(\.fields).map { path in
            path.steps.compactMap { if case .name(let name) = $0 { name } else { nil } }
        }
    }

    /// A container that is being copied, and the path of names to it.
    private struct Frame {
        let source: DocumentValue
        let path: [String]
        var next = 0
        var members = DocumentObject()
        var elements: [DocumentValue] = []

        var result: DocumentValue {
            if case .array = source { .array(elements) } else { .object(members) }
        }
    }

    /// Returns the document without places. Stack use does not depend on the nesting depth.
    ///
    /// - Parameter note: called with the name of each removed member, and of the members whose elements are removed.
    func document(_ document: DocumentObject, noting note: (String) -> Void = { _ in }) -> DocumentObject {
        var frames = [Frame(source: .object(document), path: [])]
        while true {
            let top = frames.count - 1
            guard let (name, value) = Self.item(of: frames[top]) else {
                let done = frames.removeLast()
                guard top > 0 else { return done.members }
                Self.add(done.result, Self.item(of: frames[top - 1])?.name, to: &frames[top - 1])
                continue
            }
            let path = name.map { frames[top].path + [$0] } ?? frames[top].path
            let isKept = name.map { top == 0 && $0.hasSameBytes(as: idField) } ?? false
            if !isKept, isPlace(name, value, path) {
                note(path.last ?? "")
                frames[top].next += 1
            } else if value.kind == .array || value.kind == .object {
                frames.append(Frame(source: value, path: path))
            } else {
                Self.add(value, name, to: &frames[top])
            }
        }
    }

    /// The member or element that comes next; `nil` after the last one.
    private static func item(of frame: Frame) -> (name: String?, value: DocumentValue)? {
        switch frame.source {
        case .array(let elements): frame.next < elements.count ? (nil, elements[frame.next]) : nil
        case .object(let object):
            frame.next < object.count ? (object[frame.next].name, object[frame.next].value) : nil
        default: nil
        }
    }

    private static func add(_ value: DocumentValue, _ name: String?, to frame: inout Frame) {
        if let name { frame.members[name] = value } else { frame.elements.append(value) }
        frame.next += 1
    }

    private func isPlace(_ name: String?, _ value: DocumentValue, _ path: [String]) -> Bool {
        if let name, PlaceName.isPlace(name) { return true }
        if declared.contains(where: { $0 == path }) { return true }
        switch value {
        case .object: return GeoPoint(value) != nil
        case .array(let numbers):
            return GeoPoint(value) != nil && numbers.prefix(2).contains { $0.doubleValue.map(Self.isPrecise) ?? false }
        case .string(let text): return Self.isPosition(text)
        default: return false
        }
    }

    /// Whether a number has more than two decimals: as a coordinate, it is precise to less than a kilometer.
    private static func isPrecise(_ number: Double) -> Bool {
        let hundreds = number * 100
        return abs(hundreds - hundreds.rounded()) > 1e-9
    }

    /// Whether a string is a position: a form that geo indexes read, or two precise numbers, such as
    /// `53.7225, -1.863` and `+53.7225-001.8630/` (ISO 6709).
    private static func isPosition(_ text: String) -> Bool {
        guard text.utf8.count <= 200 else { return false }
        if text.contains("deg") || text.contains("°") { return GeoPoint(.string(text)) != nil }
        let others = Set(" ,;/NSEWnsew")
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || "+-.".contains($0) || others.contains($0)) }) else {
            return false
        }
        // A sign begins a number.
        let numbers = text.replacing("+", with: " +").replacing("-", with: " -").split(whereSeparator: others.contains)
        return numbers.count { number in
            number.split(separator: ".", omittingEmptySubsequences: false).last.map { $0.count > 2 } ?? false
                && number.contains(".")
        } >= 2
    }
}
