public import Foundation
import HTTPMessages
import SystemLibraries

/// How the content of a downloaded file is checked.
@nonexhaustive public enum DownloadDigest: Hashable, Sendable {
    /// Not at all.
    case ignored
    /// By the server's `Repr-Digest` (RFC 9530) with `sha-256`, if it sends one.
    case checkedIfSent
    /// By the server's `Repr-Digest`, without which the download fails.
    case required
    /// By a SHA-256 that the app knows, of 32 bytes.
    case sha256(Data)

    /// True if the file's bytes must be those that the digest is of: no content coding is requested.
    var needsIdentity: Bool { self != .ignored }

    /// The digest that the file must have; nil if it is not checked.
    /// - Parameters:
    ///   - head: the last response.
    ///   - sent: that of a response, see ``sent(_:)``.
    /// - Throws: ``DownloadError`` (`noDigest`).
    func expected(_ head: HTTPResponseHead, sent: Data?) throws(DownloadError) -> Data? {
        switch self {
        case .ignored: return nil
        case .sha256(let digest): return digest
        case .checkedIfSent: return sent
        case .required:
            guard let digest = sent else {
                throw DownloadError(
                    .noDigest,
                    "Server sent no Repr-Digest with sha-256 of these bytes; use `DownloadDigest.checkedIfSent`, or a "
                        + "known digest.",
                    head: head)
            }
            return digest
        }
    }

    /// The digest of the whole file in a response; nil if there is none, or if the engine has decoded the body.
    static func sent(_ head: HTTPResponseHead) -> Data? {
        guard head.decodedContentCodings == nil else { return nil }
        // For a whole response without a coding, the digest of the content is that of the representation.
        let names = head.status == .partialContent ? ["Repr-Digest"] : ["Repr-Digest", "Content-Digest"]
        for name in names {
            guard let text = head.fields[name], let digests = try? StructuredDictionary(parsing: text),
                case .bytes(let digest)? = digests["sha-256"]?.value
            else { continue }
            return digest
        }
        return nil
    }
}

extension PartialFile {
    /// Compares the content with a digest.
    /// - Throws: ``DownloadError`` (`digestMismatch`, `fileFailure`).
    func check(_ expected: Data) throws(DownloadError) {
        let actual: [UInt8]
        do {
            let digest = MessageDigest(.sha256)
            let (size, step) = (self.size, 1 << 20 as Int64)
            for start in stride(from: 0, to: size, by: Int64.Stride(step)) {
                let part = try read(Int(min(step, size - start)), at: start)
                part.withUnsafeBytes { digest.update($0) }
            }
            actual = try digest.finish()
        } catch {
            throw DownloadError(
                .fileFailure, "The downloaded file cannot be read to check its digest; see `underlying`.",
                underlying: error)
        }
        guard Data(actual) == expected else {
            throw DownloadError(
                .digestMismatch, "Digest of the downloaded file is not the expected one; download it again.")
        }
    }
}
