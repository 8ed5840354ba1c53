public import Foundation
import HTTPMessages
public import PatchbayErrors
import Synchronization
import SystemLibraries

/// The verification of a response's body, for Digest with `qop=auth-int`.
///
/// Pass all bytes of the body in their order, then call ``finish()``. Every method may run on any thread.
public final class ResponseVerification: Sendable {
    /// The proof of a server or a proxy.
    struct Check: Sendable {
        let exchange: DigestExchange
        let info: AuthenticationInfo
    }

    private let checks: [Check]
    /// One for each check.
    private let digests: Mutex<[MessageDigest]>
    private let head: HTTPResponseHead

    init(_ checks: [Check], _ head: HTTPResponseHead) {
        digests = Mutex(checks.map { MessageDigest($0.exchange.session.challenge.algorithm.hash) })
        self.checks = checks
        self.head = head
    }

    /// Adds bytes of the body.
    public func update(_ data: Data) {
        digests.withLock { digests in
            data.withUnsafeBytes { bytes in for digest in digests { digest.update(bytes) } }
        }
    }

    /// Verifies the body. Call it once, at the end.
    /// - Throws: ``AuthenticationError`` (`serverNotAuthentic`, `hashing`).
    public func finish() throws(AuthenticationError) {
        let hashes = try digests.withLock { digests throws(AuthenticationError) in
            var hashes: [[UInt8]] = []
            for digest in digests { hashes.append(try digest.hex()) }
            return hashes
        }
        for (check, hash) in zip(checks, hashes) {
            guard try check.info.isAuthentic(check.exchange, bodyHash: hash) == true else { throw .notAuthentic(head) }
        }
    }
}

extension ResponseVerification: RedactedStringConvertible {
    /// What it is, without the key.
    public var description: String { "verification of a response body" }
}

extension AuthenticationError {
    static func notAuthentic(_ head: HTTPResponseHead) -> AuthenticationError {
        AuthenticationError(
            .serverNotAuthentic,
            "The response to \(head.requestDescription) does not prove that the server knows the password: rspauth is "
                + "wrong; check that no other server or proxy responded.", head: head)
    }
}
