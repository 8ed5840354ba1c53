import HTTPMessages
import PatchbayErrors
import Synchronization
import SystemLibraries

/// An authentication session of Digest: a credential, a challenge and a nonce. Compared by identity.
final class DigestSession: Sendable {
    let credential: PasswordCredential
    let challenge: DigestChallenge
    let key: DigestKey
    let nonce: DigestNonce
    /// The value of the field up to the parameters that differ between requests.
    private let fieldStart: [UInt8]
    private let accepted: Atomic<Bool>

    init(
        _ credential: PasswordCredential, _ challenge: DigestChallenge, _ key: DigestKey, _ nonce: DigestNonce,
        isAccepted: Bool = false
    ) {
        accepted = Atomic(isAccepted)
        self.credential = credential
        self.challenge = challenge
        self.key = key
        self.nonce = nonce
        var start =
            "Digest \(key.userParameters), realm=\(challenge.realm.quotedString), nonce=\(nonce.value.quotedString)"
        if challenge.namesAlgorithm { start += ", algorithm=\(challenge.algorithm.name)" }
        if let opaque = challenge.opaque { start += ", opaque=\(opaque.quotedString)" }
        if let protection = challenge.protection {
            start += ", qop=\(protection.rawValue), cnonce=\(nonce.clientValue.quotedString)"
        }
        fieldStart = Array("\(start), uri=\"".utf8)
    }

    /// This session with another nonce of the server. Its key remains: that of a `-sess` algorithm belongs to the first
    /// nonces.
    func next(_ nonce: DigestNonce) -> DigestSession {
        DigestSession(credential, challenge, key, nonce, isAccepted: isAccepted)
    }

    /// True if the server has accepted the credential in this session.
    var isAccepted: Bool { accepted.load(ordering: .relaxed) }

    func accept() { accepted.store(true, ordering: .relaxed) }

    /// The value of the field for a request.
    /// - Parameters:
    ///   - uri: the request target, as it is sent.
    ///   - bodyHash: the hash of the body in hexadecimal digits; nil without `auth-int`.
    ///   - count: the number of the request with this nonce.
    /// - Throws: ``AuthenticationError`` (`hashing`).
    func field(
        method: String, uri: String, bodyHash: [UInt8]?, count: UInt32
    ) throws(AuthenticationError) -> String {
        let response = try response(method: method, uri: uri, bodyHash: bodyHash, count: count)
        var field = fieldStart
        field.reserveCapacity(fieldStart.count + uri.utf8.count + 128)
        field.append(contentsOf: uri.utf8)
        if challenge.protection != nil {
            field.append(contentsOf: "\", nc=".utf8)
            field.append(contentsOf: Self.digits(of: count))
            field.append(contentsOf: ", response=\"".utf8)
        } else {
            field.append(contentsOf: "\", response=\"".utf8)
        }
        field.append(contentsOf: response)
        field.append(UInt8(ascii: "\""))
        return String(decoding: field, as: UTF8.self)
    }

    /// The parameter `response` of a request, or `rspauth` of a response, whose method is empty.
    ///
    /// RFC 7616, sections 3.4.1 and 3.5.
    /// - Throws: ``AuthenticationError`` (`hashing`).
    func response(
        method: String, uri: String, bodyHash: [UInt8]?, count: UInt32
    ) throws(AuthenticationError) -> [UInt8] {
        let hash = challenge.algorithm.hash
        let colon = UInt8(ascii: ":")
        var text: [UInt8] = []
        text.reserveCapacity(256)
        text.append(contentsOf: method.utf8)
        text.append(colon)
        text.append(contentsOf: uri.utf8)
        if let bodyHash {
            text.append(colon)
            text.append(contentsOf: bodyHash)
        }
        let target = try hash.hex(text)
        text.removeAll(keepingCapacity: true)
        text.append(contentsOf: key.bytes)
        text.append(colon)
        text.append(contentsOf: nonce.value.utf8)
        text.append(colon)
        if challenge.protection != nil {
            text.append(contentsOf: Self.digits(of: count))
            text.append(colon)
            text.append(contentsOf: nonce.clientValue.utf8)
            text.append(colon)
            text.append(contentsOf: (bodyHash == nil ? DigestChallenge.Protection.auth : .authInt).rawValue.utf8)
            text.append(colon)
        }
        text.append(contentsOf: target)
        return try hash.hex(text)
    }

    /// A count as eight hexadecimal digits.
    static func digits(of count: UInt32) -> [UInt8] { withUnsafeBytes(of: count.bigEndian) { Array($0) }.hexDigits }
}

extension DigestSession: Hashable {
    static func == (left: DigestSession, right: DigestSession) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension DigestSession: RedactedStringConvertible {
    /// What it is, without the user and the key.
    var description: String { "Digest session" }
}
