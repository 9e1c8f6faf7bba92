import DocIndex

/// Documents from exiftool's metadata of pictures.
final class PictureSource: RecordSource {
    let name: String
    private let files: [PictureFile]
    /// The files to attach to the documents; `nil` for none.
    private let contents: PictureContents?
    /// The ID of the picture at a path.
    private let id: (String) throws -> String
    /// Reports unreadable tags and pictures.
    private let warn: (String) -> Void
    private var started = 0
    private var runs: [(run: ExifToolRun, files: ArraySlice<PictureFile>)] = []
    private var elements: [JSONParser.ElementStream.Element] = []
    /// The number of files returned or skipped so far; if they are attached, their size in bytes.
    private(set) var byteCount = 0
    private(set) var place = RecordPlace()
    private var done = 0

    /// The number of files in each run of exiftool. The first runs are short, so that something is stored early.
    private static let runFileCounts = [10, 25, 50, 100, 200]
    /// The number of concurrent runs: one is read while the next one works.
    private static let runCount = 2
    private var startedRunCount = 0

    /// - Parameters:
    ///   - name: The directory, for messages.
    ///   - files: The pictures to read.
    ///   - contents: The files to attach to the documents; `nil` for none.
    ///   - id: Returns the ID of the picture at a path.
    ///   - warn: Called with a message for each unreadable tag or picture.
    init(
        _ name: String, files: [PictureFile], contents: PictureContents? = nil,
        id: @escaping (String) throws -> String = { $0 },
        warn: @escaping (String) -> Void
    ) {
        self.name = name
        self.files = files
        self.contents = contents
        self.id = id
        self.warn = warn
    }

    func next() throws -> InputEvent? {
        while elements.isEmpty {
            while runs.count < Self.runCount, started < files.count {
                let count = Self.runFileCounts[min(startedRunCount, Self.runFileCounts.count - 1)]
                let part = files[started..<min(files.count, started + count)]
                runs.append((try ExifToolRun(part.map(\.path)), part))
                started += part.count
                startedRunCount += 1
            }
            guard !runs.isEmpty else { return nil }
            let (run, files) = runs.removeFirst()
            try read(run, files)
            done += files.count
            if contents == nil { byteCount = done - elements.count }
        }
        let element = elements.removeLast()
        if contents == nil { byteCount += 1 }
        place = RecordPlace(line: 0, offset: 0, text: element.bytes)
        var document = ExifToolDocument.normalized(try object(element.bytes))
        if let path = document[Self.pathTag]?.stringValue {
            if let problem = document[Self.errorTag]?.stringValue {
                warn(
                    "exiftool could not read \(path): \(problem); its document has only the name, size and dates of the file"
                )
            }
            if let contents {
                byteCount = contents.byteCount(upTo: path) ?? byteCount
                let type = document["File:MIMEType"]?.stringValue
                if let attachment = try contents.attachment(for: path, type: type) {
                    document[contents.member] = .attachment(attachment)
                }
            }
            document[Self.pathTag] = .string(try id(path))
        }
        return .document(document)
    }

    /// The tag that contains the path.
    static let pathTag = "SourceFile"
    /// The tag that says why a picture has no others, as for an empty file.
    private static let errorTag = "ExifTool:Error"

    /// The object of one picture, without unreadable tags.
    private func object(_ text: [UInt8]) throws -> DocumentObject {
        do {
            guard case .object(let object) = try JSONParser().parse(text) else {
                throw RecordError(.type, "exiftool did not print a JSON object")
            }
            return object
        } catch let error as JSONError {
            guard let (object, leftOut) = Self.readable(text), let path = object[Self.pathTag]?.stringValue else {
                throw RecordError(.syntax, "the output of exiftool for a picture is invalid: \(error.message)")
            }
            for tag in leftOut {
                warn("\(path): ignored the unreadable tag \(ByteNotation.print(tag))")
            }
            return object
        }
    }

    /// The readable part of an object, and the names of unreadable tags.
    private static func readable(_ text: [UInt8]) -> (object: DocumentObject, leftOut: [[UInt8]])? {
        guard let (rest, leftOut) = PictureTags.readable(text.span, { (try? JSONParser().parse($0)) != nil }),
            case .object(let object) = try? JSONParser().parse(rest)
        else { return nil }
        return (object, leftOut)
    }

    /// Stores the objects of a run in `elements`, in reverse order.
    private func read(_ run: ExifToolRun, _ files: ArraySlice<PictureFile>) throws {
        let bytes = try run.readAll()
        if bytes.contains(where: { $0 > 0x20 }) {
            var stream = JSONParser.ElementStream()
            stream.append(ExifToolText.rewriting(bytes.span))
            stream.finish()
            do {
                while let element = try stream.next() { elements.append(element) }
            } catch {
                throw RecordError(
                    .syntax,
                    "the output of exiftool for \(files.first?.path ?? name) and others is invalid: \(error.message)"
                ).final
            }
        }
        elements.reverse()
        if elements.count < files.count { reportMissing(files) }
    }

    /// Reports the pictures for which exiftool returned no data.
    private func reportMissing(_ files: ArraySlice<PictureFile>) {
        let found = Set(
            elements.compactMap { element in
                (Self.readable(element.bytes)?.object[Self.pathTag]?.stringValue).map { Array($0.utf8) }
            })
        for file in files where !found.contains(Array(file.path.utf8)) {
            warn("\(file.path): exiftool returned no data for it")
        }
    }
}
