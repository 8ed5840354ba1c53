/// A supported challenge of Digest (RFC 7616, section 3.3; without `qop`, RFC 2069).
struct DigestChallenge: Hashable, Sendable {
    /// The quality of protection.
    enum Protection: String, Hashable, Sendable {
        /// The method and the URI are protected.
        case auth
        /// The body is protected too.
        case authInt = "auth-int"
    }

    let realm: String
    var nonce: String
    let opaque: String?
    let algorithm: DigestAlgorithm
    /// True if the server named the algorithm, so that it is repeated.
    let namesAlgorithm: Bool
    /// Nil for servers of RFC 2069.
    let protection: Protection?
    let wantsUserHash: Bool
    /// True if the server understands names and passwords in UTF-8.
    let usesUTF8: Bool
    let isStale: Bool
    /// The URIs of the protection space; empty for all of the server.
    let domain: [String]

    /// - Throws: the name of what is not supported.
    init(_ challenge: AuthenticationChallenge) throws(UnsupportedScheme) {
        guard let realm = challenge.realm, let nonce = challenge["nonce"] else {
            throw UnsupportedScheme("Digest without realm or nonce")
        }
        guard let algorithm = DigestAlgorithm(challenge["algorithm"]) else {
            throw UnsupportedScheme("Digest with algorithm \(challenge["algorithm"] ?? "")")
        }
        let names = (challenge["qop"] ?? "").lowercased().split { $0 == "," || $0.isWhitespace }.map(String.init)
        // Hashing the body may need a second read of a file, and gains little over TLS.
        protection = names.contains("auth") ? .auth : names.contains("auth-int") ? .authInt : nil
        guard protection != nil || names.isEmpty else {
            throw UnsupportedScheme("Digest with qop \(names.joined(separator: ","))")
        }
        guard protection != nil || !algorithm.isSession else {
            throw UnsupportedScheme("Digest with algorithm \(algorithm.name) without qop")
        }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        namesAlgorithm = challenge["algorithm"] != nil
        opaque = challenge["opaque"]
        wantsUserHash = challenge.isTrue("userhash")
        usesUTF8 = challenge["charset"]?.lowercased() == "utf-8"
        isStale = challenge.isTrue("stale")
        domain = (challenge["domain"] ?? "").split(separator: " ").map(String.init)
    }
}

/// The name of a scheme, with the reason if it is Digest.
struct UnsupportedScheme: Error {
    let name: String

    /// - Parameter name: text of a server, so it may be long.
    init(_ name: String) { self.name = String(name.prefix(60)) }
}

extension AuthenticationChallenge {
    fileprivate func isTrue(_ name: String) -> Bool { self[name]?.lowercased() == "true" }
}
