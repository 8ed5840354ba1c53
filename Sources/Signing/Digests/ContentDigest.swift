import Foundation
public import HTTPMessages
import SystemLibraries

/// Algorithm of `Content-Digest` (RFC 9530).
@nonexhaustive public enum ContentDigestAlgorithm: String, Hashable, Sendable, CaseIterable {
    /// SHA-256.
    case sha256 = "sha-256"
    /// SHA-512.
    case sha512 = "sha-512"

    var hash: MessageDigest.Algorithm { self == .sha256 ? .sha256 : .sha512 }
}

/// Makes and checks `Content-Digest` (RFC 9530): the hash of a body as it is sent, with its content coding.
public enum ContentDigest {
    /// The field value for a body, which is read from its start; the value for no body is that of zero bytes.
    /// - Throws: ``SigningError`` (`bodyNotReplayable`) for a stream, which could not be sent after that; errors of
    ///   reading; `CancellationError`.
    public static func value(
        of body: HTTPBody, _ algorithms: [ContentDigestAlgorithm] = [.sha256]
    ) async throws -> String {
        let hashes = algorithms.map { MessageDigest($0.hash) }
        try await read(body) { bytes in for hash in hashes { hash.update(bytes) } }
        return try zip(algorithms, hashes).map { "\($0.rawValue)=:\(Data(try $1.finish()).base64EncodedString()):" }
            .joined(separator: ", ")
    }

    /// Reads a body that can be read again.
    static func read(_ body: HTTPBody, _ consume: (UnsafeRawBufferPointer) -> Void) async throws {
        guard body.isReplayable else {
            throw SigningError(
                .bodyNotReplayable,
                "The body is a stream, whose hash is not known before it is sent; use bytes or a file.")
        }
        for try await chunk in body.chunks() {
            try Task.checkCancellation()
            chunk.withUnsafeBytes { consume($0) }
        }
    }

    /// The hashes of a field that have a known algorithm, the strongest one first.
    /// - Throws: ``SigningError`` (`malformedField`).
    static func sent(_ text: String) throws(SigningError) -> [(algorithm: ContentDigestAlgorithm, digest: Data)] {
        let dictionary: StructuredDictionary
        do {
            dictionary = try StructuredDictionary(parsing: text)
        } catch {
            throw SigningError(.malformedField, "Content-Digest is malformed.", underlying: error)
        }
        var digests: [(ContentDigestAlgorithm, Data)] = []
        for algorithm in ContentDigestAlgorithm.allCases.reversed() {
            guard let member = dictionary[algorithm.rawValue] else { continue }
            guard case .bytes(let digest)? = member.value else {
                throw SigningError(.malformedField, "Content-Digest is malformed: \(algorithm.rawValue) is not bytes.")
            }
            digests.append((algorithm, digest))
        }
        return digests
    }
}

extension HTTPResponse {
    /// Compares the body with `Content-Digest`.
    /// - Parameter isRequired: true if a response without a digest of a known algorithm is an error.
    /// - Throws: ``SigningError`` (`digestMismatch`, `missingDigest`, `malformedField`). A body that the engine has
    ///   decoded cannot be checked: `missingDigest`, also if none is required. Request `identity` as its coding.
    public func verifyContentDigest(isRequired: Bool = true) throws {
        guard let check = try ContentDigestCheck.Running(head, isRequired: isRequired) else { return }
        body.withUnsafeBytes { check.update($0) }
        try check.finish()
    }
}
