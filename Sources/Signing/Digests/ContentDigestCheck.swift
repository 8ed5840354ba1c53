import Foundation
public import HTTPMessages
import SystemLibraries
import Transport

/// Whether a response must have the body that its `Content-Digest` says; see ``HTTPMessages/RequestOptions``.
@nonexhaustive public enum ContentDigestCheck: Hashable, Sendable {
    /// Not at all.
    case ignored
    /// If the server sends a digest.
    case ifSent
    /// A successful response must have a digest. That of another one is compared if the server sends it.
    case required
}

private enum ContentDigestCheckKey: RequestOptionKey { static var defaultValue: ContentDigestCheck { .ignored } }

extension RequestOptions {
    /// How ``SigningRequests`` checks the `Content-Digest` of the response; default: it ignores it.
    ///
    /// A checked request has `Accept-Encoding: identity`, unless it has the field: the digest is one of the bytes that
    /// were sent. A cache outside of the layer may respond without a check: `cachePolicy = .noStore` prevents that.
    /// A checked download starts over after an interruption; one with `DownloadOptions.digest` continues.
    public var contentDigestCheck: ContentDigestCheck {
        get { hasLayerOptions ? self[ContentDigestCheckKey.self] : .ignored }
        set { self[ContentDigestCheckKey.self] = newValue }
    }
}

extension ContentDigestCheck {
    /// A check that has begun; one thread at a time uses it.
    final class Running: @unchecked Sendable {
        private let hash: MessageDigest
        private let algorithm: ContentDigestAlgorithm
        private let expected: Data
        private let head: HTTPResponseHead

        /// Nil if there is nothing to check.
        init?(_ head: HTTPResponseHead, isRequired: Bool) throws(SigningError) {
            // What is not sent has no digest of its own (RFC 9530, section 3).
            guard head.method != .head, head.status != .notModified, head.status != .noContent else { return nil }
            let digest = try head.fields[.contentDigest].flatMap { text throws(SigningError) in
                try ContentDigest.sent(text).first
            }
            guard let digest else {
                guard !isRequired else {
                    throw SigningError(
                        .missingDigest, "The response has no Content-Digest with sha-256 or sha-512.", head: head)
                }
                return nil
            }
            guard head.decodedContentCodings == nil else {
                throw SigningError(
                    .missingDigest,
                    "The engine has decoded the body, and Content-Digest is of the coded one; "
                        + "send Accept-Encoding: identity.",
                    head: head)
            }
            (algorithm, expected) = digest
            hash = MessageDigest(algorithm.hash)
            self.head = head
        }

        func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bytes) }

        func finish() throws {
            guard Data(try hash.finish()) == expected else {
                throw SigningError(
                    .digestMismatch,
                    "The body is not the one of Content-Digest (\(algorithm.rawValue)): it was changed on its way.",
                    head: head)
            }
        }
    }
}

/// A streamed body that is checked at its end.
struct DigestCheckedBody: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        var base: HTTPBodyChunks.Iterator
        var check: ContentDigestCheck.Running?

        /// - Throws: the error of the body; ``SigningError`` (`digestMismatch`).
        mutating func next() async throws -> Data? {
            if let chunk = try await base.next() {
                chunk.withUnsafeBytes { check?.update($0) }
                return chunk
            }
            try check.take()?.finish()
            return nil
        }
    }

    let base: HTTPBodyChunks
    let check: ContentDigestCheck.Running

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), check: check) }
}
