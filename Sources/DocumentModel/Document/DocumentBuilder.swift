/// Builds a value from the events of a reader: open, name, value, close.
///
/// It keeps its own stack, so that no input, however deep, can exhaust the stack of the thread. It also ensures unique
/// names, both for the JSON reader and for the reader of stored bodies.
struct DocumentBuilder: ~Copyable {
    /// An array or object that is not closed yet.
    struct Frame {
        let isObject: Bool
        /// The offset of its start in the input, for error messages.
        let offset: Int
        /// The nesting depth, counting this container; limited by ``DocumentValue/maximumDepth``.
        let depth: Int
        /// Whether the object is literal even if its first name begins with `$`; see ``JSONWriter``.
        let isLiteral: Bool
        /// The position on the stack of elements or members where its own begin.
        fileprivate let start: Int
        fileprivate var hasNameIndex = false

        fileprivate init(isObject: Bool, offset: Int, depth: Int, isLiteral: Bool, start: Int) {
            self.isObject = isObject
            self.offset = offset
            self.depth = depth
            self.isLiteral = isLiteral
            self.start = start
        }
    }

    private var frames = MoveStack<Frame>()
    private var elements = MoveStack<DocumentValue>()
    private var members = MoveStack<DocumentObject.Member>()
    /// One for each open object with many members, in the order of the frames.
    private var nameIndexes = MoveStack<NameIndex>()

    /// The innermost open array or object; `nil` if none is open.
    var innermost: Frame? { frames.count == 0 ? nil : frames[frames.count - 1] }

    /// The nesting depth of the innermost open array or object; 0 if none is open.
    var depth: Int { frames.count == 0 ? 0 : frames[frames.count - 1].depth }

    /// The first name given to the innermost open object; `nil` if there is none yet, or no object is innermost.
    var innermostFirstName: String? {
        guard let frame = innermost, frame.isObject, frame.start < members.count else { return nil }
        return members[frame.start].name
    }

    /// The only name given so far to the object around the innermost open object; `nil` if it has further names or is
    /// literal, or objects are not nested in this way.
    var onlyNameAroundInnermost: String? {
        guard frames.count > 1 else { return nil }
        let outer = frames[frames.count - 2]
        let inner = frames[frames.count - 1]
        guard outer.isObject, !outer.isLiteral, inner.isObject, inner.start - outer.start == 1 else { return nil }
        return members[outer.start].name
    }

    /// The number of names given to the innermost open object; 0 if no object is innermost.
    var innermostNameCount: Int {
        guard let frame = innermost, frame.isObject else { return 0 }
        return members.count - frame.start
    }
}

// MARK: - Events

extension DocumentBuilder {
    /// Opens an array.
    mutating func openArray(offset: Int, depth: Int) {
        frames.push(Frame(isObject: false, offset: offset, depth: depth, isLiteral: false, start: elements.count))
    }

    /// Opens an object.
    mutating func openObject(offset: Int, depth: Int, isLiteral: Bool = false) {
        frames.push(Frame(isObject: true, offset: offset, depth: depth, isLiteral: isLiteral, start: members.count))
    }

    /// Begins a member of the innermost object; its value comes next. Returns false if the object already has that
    /// name.
    ///
    /// - Precondition: an object is innermost.
    /// - Complexity: O(*n*) up to 32 members, O(1) on average above.
    mutating func beginMember(_ name: String) -> Bool {
        let frame = frames[frames.count - 1]
        if frame.hasNameIndex {
            let known = nameIndexes[nameIndexes.count - 1]
                .position(of: name) { members[frame.start + $0].name }
            guard known == nil else { return false }
        } else if unsafe members.contains(
            from: frame.start, where: { unsafe $0.pointee.name.hasSameBytes(as: name) })
        {
            return false
        }
        beginUniqueMember(name)
        return true
    }

    /// Begins a member of the innermost object, which must not have a member with that name.
    ///
    /// - Precondition: an object is innermost.
    mutating func beginUniqueMember(_ name: String) {
        members.push(DocumentObject.Member(name: name, value: .null))
        if members.count - frames[frames.count - 1].start > NameIndex.linearSearchLimit { indexNewName() }
    }

    /// Adds a value to the innermost array, or as the value of the member just begun.
    ///
    /// - Precondition: an array or object is open.
    mutating func add(_ value: DocumentValue) {
        if frames[frames.count - 1].isObject {
            members.updateLast { $0.value = value }
        } else {
            elements.push(value)
        }
    }

    /// Closes the innermost array and returns it; it is not added anywhere.
    mutating func closeArray() -> [DocumentValue] {
        elements.popArray(from: frames.pop().start)
    }

    /// Closes the innermost object and returns it; it is not added anywhere.
    mutating func closeObject() -> DocumentObject {
        let frame = frames.pop()
        let names = frame.hasNameIndex ? nameIndexes.pop() : NameIndex()
        return DocumentObject(unchecked: members.popArray(from: frame.start), names: names)
    }

    private mutating func indexNewName() {
        let frame = frames[frames.count - 1]
        if !frame.hasNameIndex {
            frames.updateLast { $0.hasNameIndex = true }
            nameIndexes.push(NameIndex())
        }
        var names = nameIndexes.pop()
        names.insert(lastOf: members.count - frame.start) { members[frame.start + $0].name }
        nameIndexes.push(names)
    }
}
