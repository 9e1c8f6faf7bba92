#if !canImport(ImageIO)
    internal import CTurboJPEG
    internal import Pictures

    /// The calls of libjpeg-turbo that renditions need. Only this file imports it.
    ///
    /// Each call uses a separate handle, so calls can run at the same time. The library never ends the process: a
    /// file that it cannot decode is an error. A file with warnings, such as a missing end, is decoded as far as
    /// possible.
    enum TurboJPEG {
        /// Decodes a picture in a smaller size, which costs less than decoding all of it.
        ///
        /// - Parameters:
        ///   - file: the JPEG file.
        ///   - header: what its segments say.
        ///   - size: the size that is needed. The result is at least as large, unless the picture is smaller.
        ///   - limits: for the memory of the decoder.
        /// - Throws: ``RenditionError``: `damaged`, `tooLarge`.
        /// - Complexity: O(*n*) in the size of the file; the number of pixels counts less.
        static func decode(
            _ file: [UInt8], _ header: JPEGHeader, atLeast size: (width: Int, height: Int), limits: RenderingLimits
        ) throws(RenditionError) -> Pixels {
            let decoder = unsafe try Handle(tjInitDecompress())
            try decoder.requireSize(of: file, header)
            let (width, height) = scaledSize(header, atLeast: size)
            let channelCount = header.componentCount == 1 ? 1 : 3
            let byteCount = width * height * channelCount
            try require(byteCount + coefficientByteCount(header), limits)
            var status: Int32 = -1
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { target, count in
                // What an error after a warning leaves undecoded is gray, since the library reports only the warning.
                unsafe target.initialize(repeating: 128)
                status = unsafe file.withUnsafeBufferPointer { source in
                    unsafe tjDecompress2(
                        decoder.handle, source.baseAddress, UInt(source.count), target.baseAddress, Int32(width), 0,
                        Int32(height), channelCount == 1 ? Int32(TJPF_GRAY.rawValue) : Int32(TJPF_RGB.rawValue), 0)
                }
                count = decoder.isUsable(status) ? byteCount : 0
            }
            guard bytes.count == byteCount else { throw decoder.damage() }
            return Pixels(width: width, height: height, channelCount: channelCount, bytes: bytes)
        }

        /// Encodes a picture.
        ///
        /// - Throws: ``RenditionError`` with `damaged` if the library refuses its size.
        static func encode(_ pixels: Pixels, quality: Int) throws(RenditionError) -> [UInt8] {
            let encoder = unsafe try Handle(tjInitCompress())
            let isGray = pixels.channelCount == 1
            let file = unsafe encoder.output { buffer, count in
                unsafe pixels.bytes.withUnsafeBufferPointer { source in
                    unsafe tjCompress2(
                        encoder.handle, source.baseAddress, Int32(pixels.width), 0, Int32(pixels.height),
                        isGray ? Int32(TJPF_GRAY.rawValue) : Int32(TJPF_RGB.rawValue), buffer, count,
                        isGray ? Int32(TJSAMP_GRAY.rawValue) : Int32(TJSAMP_420.rawValue), Int32(quality), 0)
                }
            }
            guard let file else { throw encoder.damage() }
            return file
        }

        /// Turns a picture without decoding it to pixels, and thus without loss, and removes all metadata.
        ///
        /// - Returns: `nil` if this is not possible: because the blocks at a border are incomplete, or because the
        ///   picture is damaged, which ``decode(_:_:atLeast:limits:)`` may tolerate.
        /// - Throws: ``RenditionError``: `damaged`, `tooLarge`.
        static func turn(
            _ file: [UInt8], _ header: JPEGHeader, limits: RenderingLimits
        ) throws(RenditionError) -> [UInt8]? {
            let transformer = unsafe try Handle(tjInitTransform())
            try transformer.requireSize(of: file, header)
            // The coefficients before and, if the picture is turned, after; and the new file.
            let arrayCount = header.orientation == .normal ? 1 : 2
            try require(arrayCount * header.blockCount * blockByteCount + file.count, limits)
            var transform = unsafe tjtransform()
            unsafe transform.op = Int32(header.orientation.operation.rawValue)
            unsafe transform.options = TJXOPT_COPYNONE | TJXOPT_PERFECT
            return unsafe transformer.output { buffer, count in
                unsafe file.withUnsafeBufferPointer { source in
                    unsafe tjTransform(
                        transformer.handle, source.baseAddress, UInt(source.count), 1, buffer, count, &transform, 0)
                }
            }
        }

        // MARK: - Costs

        /// The number of bytes of 8 × 8 coefficients.
        private static let blockByteCount = 128

        /// The memory for coefficients, which a decoder keeps only if there are several scans.
        private static func coefficientByteCount(_ header: JPEGHeader) -> Int {
            header.hasSeveralScans ? header.blockCount * blockByteCount : 0
        }

        private static func require(_ byteCount: Int, _ limits: RenderingLimits) throws(RenditionError) {
            guard byteCount <= limits.byteCount else { throw .tooMuchMemory(byteCount, limits) }
        }

        /// The smallest size, in steps of an eighth, that is at least as large as the given one.
        private static func scaledSize(
            _ header: JPEGHeader, atLeast size: (width: Int, height: Int)
        ) -> (width: Int, height: Int) {
            for eighths in 1...7 {
                let width = (header.width * eighths + 7) / 8
                let height = (header.height * eighths + 7) / 8
                if width >= size.width, height >= size.height { return (width, height) }
            }
            return (header.width, header.height)
        }
    }

    /// A compressor, decompressor or transformer of the library.
    @safe private struct Handle: ~Copyable {
        let handle: tjhandle

        init(_ handle: tjhandle?) throws(RenditionError) {
            guard let handle = unsafe handle else {
                throw RenditionError(.tooLarge, "there is not enough memory to decode the picture; try again later")
            }
            unsafe self.handle = handle
        }

        deinit { unsafe tjDestroy(handle) }

        /// Whether a call succeeded, or only warned.
        func isUsable(_ status: Int32) -> Bool {
            unsafe status == 0 || tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue)
        }

        /// The error of the last call.
        func damage() -> RenditionError {
            let text = unsafe tjGetErrorStr2(handle).map { unsafe String(cString: $0) } ?? "unknown error"
            return RenditionError(.damaged, "the picture cannot be decoded: \(text); import an undamaged copy of it")
        }

        /// Checks that the library finds the size that was read before, on which limits rely.
        func requireSize(of file: [UInt8], _ header: JPEGHeader) throws(RenditionError) {
            var size: (width: Int32, height: Int32, subsampling: Int32, colorspace: Int32) = (0, 0, 0, 0)
            let status = unsafe file.withUnsafeBufferPointer { source in
                unsafe tjDecompressHeader3(
                    handle, source.baseAddress, UInt(source.count), &size.width, &size.height, &size.subsampling,
                    &size.colorspace)
            }
            guard isUsable(status) else { throw damage() }
            guard Int(size.width) == header.width, Int(size.height) == header.height else {
                throw RenditionError(
                    .damaged, "the picture states two different sizes; import an undamaged copy of it")
            }
        }

        /// Returns what a call writes to a buffer of the library; `nil` if it fails, or warns: after a warning, the
        /// library does not report whether the buffer is complete.
        func output(
            _ call: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<UInt>) -> Int32
        ) -> [UInt8]? {
            var buffer: UnsafeMutablePointer<UInt8>?
            var count: UInt = 0
            let status = unsafe call(&buffer, &count)
            defer { unsafe tjFree(buffer) }
            guard status == 0, let buffer = unsafe buffer, count > 0 else { return nil }
            return unsafe Array(UnsafeBufferPointer(start: buffer, count: Int(clamping: count)))
        }
    }

    extension PictureOrientation {
        /// The lossless operation that turns a picture upright.
        fileprivate var operation: TJXOP {
            switch self {
            case .normal: TJXOP_NONE
            case .mirrored: TJXOP_HFLIP
            case .turned180: TJXOP_ROT180
            case .flipped: TJXOP_VFLIP
            case .transposed: TJXOP_TRANSPOSE
            case .turned90: TJXOP_ROT90
            case .transversed: TJXOP_TRANSVERSE
            case .turned270: TJXOP_ROT270
            }
        }
    }
#endif
