internal import CStemmer
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Identifies a libstemmer, to detect whether it stems all words of a language like another one: terms of one stemmer
/// are not found with a different one.
///
/// The library has no version number. The loaded build (``build``) decides: the behavior of a different build is
/// unknown, so indexes are rebuilt. Where they cannot be rebuilt, two builds count as the same if they agree on the
/// words of ``StemmerVocabulary`` (``behaviour``).
package struct StemmerIdentity: Sendable, Hashable {
    package let language: TextAnalyzer.Language
    /// A hash of the stems of many words; `none` if the library does not support the language.
    let behaviour: String
    /// The build of the library: the linker's build ID, or a hash of its code; empty if neither can be read.
    let build: String

    /// Returns the identity of the stemmer for a language in this process.
    ///
    /// - Complexity: the first call for a language stems thousands of words, which takes a few milliseconds.
    package static func current(_ language: TextAnalyzer.Language) -> StemmerIdentity {
        StemmerIdentity(language: language, behaviour: behaviour(of: language), build: currentBuild)
    }

    /// The string that is stored with an index.
    package var text: String { "\(language.rawValue) \(behaviour) \(build)" }

    /// Parses ``text``; `nil` for a different form, such as that of a later version.
    package init?(text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let language = TextAnalyzer.Language(rawValue: String(parts[0])) else { return nil }
        self.init(language: language, behaviour: String(parts[1]), build: String(parts[2]))
    }

    init(language: TextAnalyzer.Language, behaviour: String, build: String) {
        self.language = language
        self.behaviour = behaviour
        self.build = build
    }

    /// Whether this is the library build of the current process. If either build is unknown, whether both libraries
    /// agree.
    ///
    /// - Complexity: O(1) if both builds are known.
    package var isOfThisBuild: Bool {
        build.isEmpty || Self.currentBuild.isEmpty ? agreesWithThisProcess : build == Self.currentBuild
    }

    /// Whether the library of this process gives the same stems for the words of ``StemmerVocabulary``.
    package var agreesWithThisProcess: Bool {
        build == Self.currentBuild && !build.isEmpty || behaviour == Self.behaviour(of: language)
    }

    // MARK: - Behaviour

    private static let behaviours = Mutex<[TextAnalyzer.Language: String]>([:])

    private static func behaviour(of language: TextAnalyzer.Language) -> String {
        if let known = behaviours.withLock({ $0[language] }) { return known }
        let found = Stemmer(language).map { stemmer in Self.behaviour(of: language) { stemmer.stem($0) } } ?? "none"
        behaviours.withLock { $0[language] = found }
        return found
    }

    /// Returns a hash of the stems of a language's vocabulary, as sixteen hexadecimal digits.
    static func behaviour(of language: TextAnalyzer.Language, stem: ([UInt8]) -> [UInt8]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        StemmerVocabulary.of(language).forEachWord { word in
            for byte in stem(word) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            // Separates the stems.
            hash = (hash ^ 0xff) &* 0x100_0000_01b3
        }
        return hexadecimal(hash)
    }

    private static func hexadecimal(_ hash: UInt64) -> String {
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    // MARK: - Build

    /// The build of the library in this process.
    private static let currentBuild: String = {
        // Symbols are looked up by name: the address of the function itself may be that of a stub in the program, and
        // glibc's header hides `dladdr`.
        let process = unsafe dlopen(nil, RTLD_NOW)
        guard let symbol = unsafe dlsym(process, "sb_stemmer_new"), let function = unsafe dlsym(process, "dladdr")
        else { return "" }
        typealias FindImage = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> Int32
        let findImage = unsafe unsafeBitCast(function, to: FindImage.self)
        // The `Dl_info` of the C function: the path of the image, its base, and the name and address of the symbol.
        return unsafe withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: 4) { info in
            unsafe info.initialize(repeating: nil)
            guard let place = info.baseAddress, unsafe findImage(symbol, place) != 0, let base = unsafe info[1]
            else { return "" }
            return unsafe LoadedImage(base).build ?? ""
        }
    }()
}

/// A program or library loaded in this process, accessed through its headers.
@safe private struct LoadedImage {
    private let base: UnsafeRawPointer

    init(_ base: UnsafeRawPointer) { unsafe self.base = base }

    private func read<T: FixedWidthInteger>(_ offset: Int, as type: T.Type) -> T {
        unsafe base.loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// The identifier of the build; `nil` if it cannot be read.
    var build: String? {
        // The magic numbers of 64-bit ELF and of Mach-O.
        if read(0, as: UInt32.self).littleEndian == 0x464c_457f, read(4, as: UInt8.self) == 2 { return elfBuild }
        if read(0, as: UInt32.self) == 0xfeed_facf { return machBuild }
        return nil
    }

    private func text(_ prefix: String, at offset: Int, count: Int) -> String {
        (0..<count).reduce(into: prefix) { text, index in
            let byte = read(offset + index, as: UInt8.self)
            text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
    }

    /// The build ID that linkers write into a note; without one, a hash of the code.
    private var elfBuild: String? {
        let headers = Int(read(0x20, as: UInt64.self))
        let (size, count) = (Int(read(0x36, as: UInt16.self)), Int(read(0x38, as: UInt16.self)))
        // Shared libraries are linked for address zero, and so are position-independent programs.
        guard size >= 0x38, read(0x10, as: UInt16.self) == 3 else { return nil }
        var code: UInt64?
        for header in stride(from: headers, to: headers + size * count, by: size) {
            let (type, flags) = (read(header, as: UInt32.self), read(header + 4, as: UInt32.self))
            let (start, length) = (Int(read(header + 0x10, as: UInt64.self)), Int(read(header + 0x28, as: UInt64.self)))
            if type == 4, let id = buildID(in: start..<start + length) { return id }
            // A loadable, executable segment.
            if type == 1, flags & 1 == 1 { code = hash(start..<start + length, code ?? 0xcbf2_9ce4_8422_2325) }
        }
        return code.map { "code-" + String($0, radix: 16) }
    }

    private func buildID(in notes: Range<Int>) -> String? {
        var offset = notes.lowerBound
        while offset + 12 <= notes.upperBound {
            let nameCount = Int(read(offset, as: UInt32.self))
            let count = Int(read(offset + 4, as: UInt32.self))
            let type = read(offset + 8, as: UInt32.self)
            let content = offset + 12 + (nameCount + 3) & ~3
            guard content + count <= notes.upperBound else { return nil }
            // "GNU" and a zero byte.
            if type == 3, nameCount == 4, read(offset + 12, as: UInt32.self).littleEndian == 0x0055_4e47 {
                return text("id-", at: content, count: min(count, 32))
            }
            offset = content + (count + 3) & ~3
        }
        return nil
    }

    private func hash(_ range: Range<Int>, _ start: UInt64) -> UInt64 {
        var hash = start
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound {
            hash = (hash ^ read(offset, as: UInt64.self)) &* 0x100_0000_01b3
            hash ^= hash >> 29
            offset += 8
        }
        return hash
    }

    /// The UUID that Apple's linker writes.
    private var machBuild: String? {
        var offset = 32
        for _ in 0..<read(16, as: UInt32.self) {
            let (command, size) = (read(offset, as: UInt32.self), Int(read(offset + 4, as: UInt32.self)))
            if command == 0x1b { return text("uuid-", at: offset + 8, count: 16) }
            guard size > 0 else { return nil }
            offset += size
        }
        return nil
    }
}
