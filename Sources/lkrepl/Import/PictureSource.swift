import DocIndex

/// Documents of the pictures below a directory, as exiftool sees them.
final class PictureSource: RecordSource {
    let name: String
    private let files: [String]
    /// What could not be read for its name or its permissions.
    let leftOut: [String]
    private var started = 0
    private var runs: [(run: ExifToolRun, fileCount: Int)] = []
    private var elements: [JSONElementStream.Element] = []
    /// Files that were given out or passed over.
    private(set) var byteCount = 0
    private(set) var place = RecordPlace()

    /// Files of one run of exiftool.
    private static let runFileCount = 100
    /// Runs at the same time: one is read while the next works.
    private static let runCount = 2

    /// - Throws: ``CommandFailure`` if there is no such directory.
    init(directory: String) throws {
        name = directory
        (files, leftOut) = try PictureFiles.list(in: directory)
    }

    /// How many pictures there are.
    var fileCount: Int { files.count }

    func next() throws -> InputEvent? {
        while elements.isEmpty {
            while runs.count < Self.runCount, started < files.count {
                let part = files[started..<min(files.count, started + Self.runFileCount)]
                runs.append((try ExifToolRun(Array(part)), part.count))
                started += part.count
            }
            guard !runs.isEmpty else { return nil }
            let (run, fileCount) = runs.removeFirst()
            try read(run)
            done += fileCount
            byteCount = done - elements.count
        }
        let element = elements.removeLast()
        byteCount += 1
        place = RecordPlace(line: 0, offset: 0, text: element.bytes)
        do {
            guard case .object(let object) = try element.value() else {
                throw RecordFault(.type, "exiftool has printed something that is no object")
            }
            return .document(ExifToolDocument.normalized(object))
        } catch let error as JSONError {
            throw RecordFault(.syntax, "what exiftool has printed cannot be read: \(error.message)")
        }
    }

    private var done = 0

    /// Takes the objects of a run, the last first.
    private func read(_ run: ExifToolRun) throws {
        let bytes = try run.readAll()
        guard bytes.contains(where: { $0 > 0x20 }) else { return }
        var stream = JSONElementStream()
        stream.append(ExifToolText.rewriting(bytes.span))
        stream.finish()
        do {
            while let element = try stream.next() { elements.append(element) }
        } catch {
            throw RecordFault(.syntax, "what exiftool has printed cannot be read: \(error.message)").final
        }
        elements.reverse()
    }
}
