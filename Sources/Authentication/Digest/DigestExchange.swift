import Foundation
import HTTPMessages
import SystemLibraries

/// What was sent with a request, to verify its response.
struct DigestExchange: Hashable, Sendable {
    let session: DigestSession
    let count: UInt32
    let uri: String
}

extension HTTPRequest {
    /// The parameter `uri`: the request target as the transport sends it (RFC 9112, section 3.2).
    func digestURI(forProxy: Bool) -> String {
        let text = url.absoluteString.utf8
        let end = text.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        guard !forProxy else { return String(decoding: text[..<end], as: UTF8.self) }
        // A URL of a request has a scheme, two slashes, a host and a path.
        let scheme = text.firstIndex(of: UInt8(ascii: ":")) ?? text.startIndex
        let authority = text.index(scheme, offsetBy: 3, limitedBy: end) ?? end
        let path = text[authority..<end].firstIndex(of: UInt8(ascii: "/")) ?? end
        return String(decoding: text[path..<end], as: UTF8.self)
    }

    /// The hash of the body in hexadecimal digits. Blocks on the local disk if the body has files.
    /// - Throws: ``AuthenticationError`` (`bodyNotReadable`, `hashing`).
    func bodyHash(_ algorithm: MessageDigest.Algorithm) throws(AuthenticationError) -> [UInt8] {
        let digest = MessageDigest(algorithm)
        do {
            guard let reader = try body.makeReader() else {
                throw AuthenticationError(
                    .bodyNotReadable,
                    "The server requires Digest with qop auth-int, which hashes the body before it is sent, and a "
                        + "stream can be read only once; use bytes or a file.", request: self)
            }
            while let data = try reader.read(atMost: 1 << 16) { data.withUnsafeBytes { digest.update($0) } }
        } catch let error as AuthenticationError {
            throw error
        } catch {
            throw AuthenticationError(
                .bodyNotReadable, "The request body cannot be read for Digest with qop auth-int.", request: self,
                underlying: error)
        }
        return try digest.hex()
    }
}
