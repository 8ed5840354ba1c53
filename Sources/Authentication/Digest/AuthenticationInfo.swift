import HTTPMessages
import SystemLibraries

/// The field `Authentication-Info` or `Proxy-Authentication-Info` (RFC 7616, section 3.5).
struct AuthenticationInfo: Sendable {
    /// The nonce for the next request.
    let nextNonce: String?
    /// The proof that the server knows the password, in hexadecimal digits.
    let proof: String?
    private let protection: String?
    private let clientNonce: String?
    private let count: String?

    /// Nil without the field.
    init?(_ head: HTTPResponseHead, isProxy: Bool) {
        let name = isProxy ? "proxy-authentication-info" : "authentication-info"
        let values = head.fields.lazy.filter { $0.name.canonicalName == name }.map(\.value)
        guard !values.isEmpty else { return nil }
        // The field is the parameter list of a challenge, without its scheme.
        guard let parameters = AuthenticationChallenge.parse(["Digest \(values.joined(separator: ", "))"]).first else {
            return nil
        }
        nextNonce = parameters["nextnonce"].flatMap { $0.isEmpty ? nil : $0 }
        proof = parameters["rspauth"]?.lowercased()
        protection = parameters["qop"]?.lowercased()
        clientNonce = parameters["cnonce"]
        count = parameters["nc"]?.lowercased()
    }

    /// Verifies the proof; true if there is none.
    /// - Returns: nil if the hash of the response's body is needed.
    /// - Throws: ``AuthenticationError`` (`hashing`).
    func isAuthentic(
        _ exchange: DigestExchange, bodyHash: [UInt8]? = nil
    ) throws(AuthenticationError) -> Bool? {
        guard let proof else { return true }
        let session = exchange.session
        guard clientNonce == nil || clientNonce == session.nonce.clientValue,
            count == nil || count == String(decoding: DigestSession.digits(of: exchange.count), as: UTF8.self)
        else { return false }
        let sent = session.challenge.protection
        let needsBody = sent != nil && (protection ?? sent?.rawValue) == DigestChallenge.Protection.authInt.rawValue
        if needsBody, bodyHash == nil { return nil }
        let expected = try session.response(
            method: "", uri: exchange.uri, bodyHash: needsBody ? bodyHash : nil, count: exchange.count)
        return expected.isEqualInConstantTime(to: Array(proof.utf8))
    }
}
