import Foundation
import HTTPMessages

/// The part of a Digest response that all requests of a session share: the hashed password and the user.
struct DigestKey: Hashable, Sendable {
    /// H(A1) in hexadecimal digits (RFC 7616, section 3.4.2).
    let bytes: [UInt8]
    /// The parameter `username` or `username*`, and `userhash` if the user is hashed.
    let userParameters: String

    /// - Throws: ``AuthenticationError`` (`invalidCredential`, `hashing`).
    init(
        _ credential: PasswordCredential, _ challenge: DigestChallenge, _ nonce: DigestNonce
    ) throws(AuthenticationError) {
        let credential = try credential.normalized(for: "Digest")
        let user = credential.user
        let hash = challenge.algorithm.hash
        let key = try hash.hex(Array("\(user):\(challenge.realm):\(credential.password)".utf8))
        bytes =
            challenge.algorithm.isSession
            ? try hash.hex(key + Array(":\(nonce.value):\(nonce.clientValue)".utf8)) : key
        if challenge.wantsUserHash {
            let name = try hash.hex(Array("\(user):\(challenge.realm)".utf8))
            userParameters = "username=\"\(String(decoding: name, as: UTF8.self))\", userhash=true"
        } else if challenge.usesUTF8, !user.utf8.allSatisfy({ $0 < 0x80 }) {
            userParameters = "username*=\(user.extendedValue)"
        } else {
            userParameters = "username=\(user.quotedString)"
        }
    }
}
