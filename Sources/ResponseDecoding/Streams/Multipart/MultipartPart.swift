public import Foundation
public import HTTPMessages

/// One part of a multipart body, whose content is streamed.
///
/// Read ``content`` before you ask for the next part, which discards the rest. Another multipart body in the content is
/// read by `part.content.multipart(part.mediaType)`.
public struct MultipartPart {
    /// Number and fields of the part.
    public let head: MultipartHead
    /// The content, as it arrives.
    public let content: Content

    /// The name of the form's field; nil outside of forms.
    public var name: String? { head.name }
    /// The last component of the name of the file, safe as a name in a folder; nil for a part that is not a file.
    public var fileName: String? { head.fileName }
    /// The media type; nil if there is none, which means `text/plain`.
    public var mediaType: MediaType? { head.mediaType }
    /// The fields of the part.
    public var fields: HTTPFields { head.fields }

    /// Reads the whole content into memory.
    /// - Throws: ``StreamDecodingError`` (`partTooLarge`) beyond `limit` bytes, default 1 MiB; errors of reading.
    public func collect(upTo limit: Int = 1 << 20) async throws -> Data {
        var collected = Data()
        for try await chunk in content {
            guard chunk.count <= limit - collected.count else {
                var error = StreamDecodingError(
                    .partTooLarge, "Content exceeds the limit of \(limit) bytes; raise the limit of `collect(upTo:)`.",
                    line: 0)
                error.part = head.number
                throw error
            }
            collected.append(chunk)
        }
        return collected
    }

    /// The content of a part: chunks of bytes, read from the body on demand.
    ///
    /// An iterator continues where the previous one stopped.
    public struct Content: AsyncSequence {
        /// A chunk, never empty.
        public typealias Element = Data
        /// An error of the body, or ``StreamDecodingError``.
        public typealias Failure = any Error

        let source: any MultipartContentSource
        let part: Int

        /// Iterates over the content.
        public struct Iterator: AsyncIteratorProtocol {
            let source: any MultipartContentSource
            let part: Int

            /// Returns the next chunk; nil at the end.
            /// - Throws: errors of the body; ``StreamDecodingError``, also after the next part was requested
            ///   (`partSkipped`).
            public mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

            /// Returns the next chunk as ``next()`` does, on the executor of the reader's actor.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
                try await source.nextChunk(of: part, isolation: actor)
            }
        }

        /// Creates an iterator.
        public func makeAsyncIterator() -> Iterator { Iterator(source: source, part: part) }
    }
}

@available(*, unavailable)
extension MultipartPart: Sendable {}

@available(*, unavailable)
extension MultipartPart.Content: Sendable {}

@available(*, unavailable)
extension MultipartPart.Content.Iterator: Sendable {}

/// Reads the content of the current part.
protocol MultipartContentSource: AnyObject {
    func nextChunk(of part: Int, isolation actor: isolated (any Actor)?) async throws -> Data?
}
