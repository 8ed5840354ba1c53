import SystemLibraries

/// An algorithm of Digest (RFC 7616, section 3.4): a hash, and whether the key is one of the session.
struct DigestAlgorithm: Hashable, Sendable {
    /// The registered names and their hashes; later ones are stronger.
    private static let known: [(name: String, hash: MessageDigest.Algorithm)] = [
        ("MD5", .md5), ("SHA-256", .sha256), ("SHA-512-256", .sha512t256),
    ]

    private let index: Int
    /// True for the names that end with `-sess`: the key depends on the first nonces of server and client.
    let isSession: Bool

    /// Nil for an unknown name; no name means MD5.
    init?(_ name: String?) {
        var name = name?.lowercased() ?? "md5"
        isSession = name.hasSuffix("-sess")
        if isSession { name.removeLast(5) }
        guard let index = Self.known.firstIndex(where: { $0.name.lowercased() == name }) else { return nil }
        self.index = index
    }

    var hash: MessageDigest.Algorithm { Self.known[index].hash }

    /// The registered name.
    var name: String { Self.known[index].name + (isSession ? "-sess" : "") }

    /// Stronger ones are greater; at least 1.
    var strength: Int { index + 1 }
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
            throw AuthenticationError(.hashing, "The hash of Digest cannot be computed: \(error)", underlying: error)
        }
    }
}
