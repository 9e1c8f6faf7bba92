public import DocIndex

extension RenditionStore {
    /// Returns the renditions of a picture, each larger than the one before, up to a specification: what is in memory at
    /// once, then better ones.
    ///
    /// The sequence throws ``RenditionError`` if there is no rendition, and `CancellationError` if the task is canceled.
    public func images(of original: Attachment, upTo specification: RenditionSpecification) -> Images {
        let largest = specification.longEdge ?? .max
        let smaller = specifications.filter { $0.longEdge ?? .max < largest }
        return Images(renditions: self, original: original, specifications: smaller + [specification])
    }

    /// The renditions of a picture, as an asynchronous sequence.
    public struct Images: AsyncSequence, Sendable {
        let renditions: RenditionStore
        let original: Attachment
        /// The smallest first.
        let specifications: [RenditionSpecification]

        /// Returns an iterator that starts with the best rendition in memory.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(images: self) }

        /// Returns one rendition after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let images: Images
            private var position = 0
            private var lastSize = 0

            init(images: Images) {
                self.images = images
                let best = images.specifications.lastIndex { specification in
                    images.renditions.cache.contains(RenditionKey(images.original.digest, specification))
                }
                position = best ?? 0
            }

            /// Returns the next rendition; `nil` after the last one. Renditions that would not be larger than the one
            /// before, because the original is small, are left out.
            public mutating func next() async throws -> Rendition? {
                while position < images.specifications.count {
                    let specification = images.specifications[position]
                    position += 1
                    let rendition = try await images.renditions.rendition(of: images.original, as: specification)
                    let size = Swift.max(rendition.width, rendition.height)
                    if size > lastSize || specification.longEdge == nil {
                        lastSize = size
                        // A rendition smaller than its specification has the size of the original.
                        if size < specification.longEdge ?? .max { position = Swift.max(position, fullIndex) }
                        return rendition
                    }
                }
                return nil
            }

            /// The index of the specification without a limit, which removes less of the original's quality.
            private var fullIndex: Int {
                images.specifications.lastIndex { $0.longEdge == nil } ?? images.specifications.count
            }
        }
    }
}
