import SystemLibraries

/// An algorithm of Digest (RFC 7616, section 3.4): a hash, and whether the key is one of the session.
struct DigestAlgorithm: Hashable, Sendable {
    let hash: MessageDigest.Algorithm
    /// True for the names that end with `-sess`: the key depends on the first nonces of server and client.
    let isSession: Bool

    /// Nil for an unknown name; no name means MD5.
    init?(_ name: String?) {
        var name = name?.lowercased() ?? "md5"
        isSession = name.hasSuffix("-sess")
        if isSession { name.removeLast(5) }
        switch name {
        case "md5": hash = .md5
        case "sha-256": hash = .sha256
        case "sha-512-256": hash = .sha512t256
        default: return nil
        }
    }

    /// The registered name.
    var name: String {
        let name =
            switch hash {
            case .md5: "MD5"
            case .sha256: "SHA-256"
            case .sha512t256: "SHA-512-256"
            }
        return isSession ? name + "-sess" : name
    }

    /// Stronger ones are greater.
    var strength: Int {
        switch hash {
        case .md5: 1
        case .sha256: 2
        case .sha512t256: 3
        }
    }
}

extension MessageDigest.Algorithm {
    /// The digest of bytes in lower-case hexadecimal digits.
    func hex(_ bytes: [UInt8]) throws(AuthenticationError) -> [UInt8] {
        let digest = MessageDigest(self)
        digest.update(bytes)
        return try digest.hex()
    }
}

extension MessageDigest {
    /// The digest in lower-case hexadecimal digits. Call it once, at the end.
    func hex() throws(AuthenticationError) -> [UInt8] {
        do {
            return try finish().hexDigits
        } catch {
            throw AuthenticationError(.hashing, "The hash of Digest cannot be computed.", underlying: error)
        }
    }
}

extension [UInt8] {
    /// The bytes in lower-case hexadecimal digits.
    var hexDigits: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self {
            text.append(hexadecimalDigits[Int(byte >> 4)])
            text.append(hexadecimalDigits[Int(byte & 0xF)])
        }
        return text
    }

    /// Compares in a time that depends on the lengths only.
    func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

private let hexadecimalDigits = Array("0123456789abcdef".utf8)
