import Foundation
import HTTPMessages

/// What follows from a credential and a challenge of Digest, and is computed once per session.
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
            userParameters = "username=\(user.quoted)"
        }
    }
}

extension String {
    /// The quoted-string of RFC 9110, section 5.6.4.
    var quoted: String {
        guard utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
            return "\"\(self)\""
        }
        var bytes = [UInt8(ascii: "\"")]
        for byte in utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
    }

    /// The extended value of RFC 8187, section 3.2.1, in UTF-8.
    var extendedValue: String {
        var bytes = Array("UTF-8''".utf8)
        for byte in utf8 {
            // All of `tchar` except the three characters that the notation itself uses.
            let isKept =
                byte.isHTTPTokenByte && byte != UInt8(ascii: "*") && byte != UInt8(ascii: "'")
                && byte != UInt8(ascii: "%")
            if isKept { bytes.append(byte) } else { bytes.append(percentEncoded: byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
