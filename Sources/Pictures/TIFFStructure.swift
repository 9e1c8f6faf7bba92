/// The directories of a TIFF structure (TIFF 6.0, section 2): of a TIFF file, of most raw formats of cameras, and of the
/// metadata in a JPEG file.
///
/// The number of directories and entries that are read is limited, so that forged ones cost nothing.
struct TIFFStructure {
    private static let directoryLimit = 32
    private static let entryLimit = 256

    private let content: BoundedBytes

    /// Reads the first bytes; `nil` unless a TIFF structure begins with them.
    init?(_ bytes: [UInt8], _ range: Range<Int>) {
        var content = BoundedBytes(bytes: bytes, range: range)
        guard let order = content.number(0, byteCount: 2), order == 0x4949 || order == 0x4d4d else { return nil }
        content.isBigEndian = order == 0x4d4d
        self.content = content
    }

    /// A directory: the offset of its first entry, and their number.
    struct Directory: Hashable {
        let offset: Int
        let count: Int
    }

    // MARK: - Directories

    /// The first directory, which describes the picture.
    var first: Directory? { content.number(4, byteCount: 4).flatMap { directory(at: $0) } }

    /// The directory after another one.
    func next(after directory: Directory) -> Directory? {
        content.number(directory.offset + 12 * directory.count, byteCount: 4).flatMap { self.directory(at: $0) }
    }

    /// All directories and their subdirectories (tag 0x014a), each once.
    var directories: [Directory] {
        var found: [Directory] = []
        var open = first.map { [$0] } ?? []
        while let directory = open.popLast(), found.count < Self.directoryLimit {
            guard !found.contains(directory) else { continue }
            found.append(directory)
            if let next = next(after: directory) { open.append(next) }
            for offset in numbers(of: 0x014a, in: directory, limit: 8) {
                if let sub = self.directory(at: offset) { open.append(sub) }
            }
        }
        return found
    }

    private func directory(at offset: Int) -> Directory? {
        guard offset > 0, let count = content.number(offset, byteCount: 2), count > 0 else { return nil }
        return Directory(offset: offset + 2, count: count)
    }

    // MARK: - Values

    /// The orientation of the picture; `nil` if the file states none, or an invalid one.
    var orientation: PictureOrientation? {
        first.flatMap { number(of: 0x0112, in: $0) }.flatMap { PictureOrientation(rawValue: $0) }
    }

    /// Returns the only or first number of an entry; `nil` without the entry.
    func number(of tag: Int, in directory: Directory) -> Int? { numbers(of: tag, in: directory, limit: 1).first }

    /// Returns the numbers of an entry, of two or four bytes each; empty without the entry.
    func numbers(of tag: Int, in directory: Directory, limit: Int) -> [Int] {
        for entry in 0..<min(directory.count, Self.entryLimit) {
            let offset = directory.offset + 12 * entry
            guard let found = content.number(offset, byteCount: 2) else { return [] }
            if found == tag { return values(at: offset, limit: limit) }
        }
        return []
    }

    private func values(at offset: Int, limit: Int) -> [Int] {
        guard let type = content.number(offset + 2, byteCount: 2), let count = content.number(offset + 4, byteCount: 4),
            let width = [1: 1, 3: 2, 4: 4, 13: 4][type]
        else { return [] }
        // Values that do not fit into the entry are elsewhere.
        let isInline = count <= 4 / width
        guard let start = isInline ? offset + 8 : content.number(offset + 8, byteCount: 4) else { return [] }
        var numbers: [Int] = []
        for index in 0..<min(count, limit) {
            guard let number = content.number(start + width * index, byteCount: width) else { break }
            numbers.append(number)
        }
        return numbers
    }

    /// Returns the range of bytes in the file; `nil` if they are not in the structure.
    func range(_ offset: Int, count: Int) -> Range<Int>? { content.range(offset, count: count) }
}
