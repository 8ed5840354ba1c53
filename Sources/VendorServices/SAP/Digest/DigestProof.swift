import Foundation
import SystemLibraries

/// The calculation of a digest with the password, as a server verifies it (RFC 7616, section 3.4.1).
struct DigestProof {
    private let credentials: DigestCredentials
    private let algorithm: SAPService.DigestAlgorithm
    /// `H(A1)` in hexadecimal digits.
    private let secret: String

    /// Nil if the scheme is not Digest.
    init?(
        _ credentials: DigestCredentials, password: String, scheme: SAPService.Scheme
    ) throws(SystemLibraryError) {
        guard case .digest(let algorithm, let session, _) = scheme else { return nil }
        self.credentials = credentials
        self.algorithm = algorithm
        let secret = try algorithm.hash("\(credentials.user):\(credentials.realm):\(password)")
        self.secret =
            session ? try algorithm.hash("\(secret):\(credentials.nonce):\(credentials.cnonce ?? "")") : secret
    }

    /// The expected value of `response`, in hexadecimal digits.
    func response(method: String, body: Data) throws(SystemLibraryError) -> String {
        try value(prefix: method, body: body)
    }

    /// The parameters of `Authentication-Info`; empty for a request in the form of RFC 2069.
    /// - Parameter body: the body of the response as sent.
    func confirmation(of body: Data) throws(SystemLibraryError) -> [String] {
        guard let qop = credentials.qop, let cnonce = credentials.cnonce, let count = credentials.countText else {
            return []
        }
        let escaped = cnonce.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let proof = try value(prefix: "", body: body)
        return ["rspauth=\"\(proof)\"", "cnonce=\"\(escaped)\"", "nc=\(count)", "qop=\(qop)"]
    }

    private func value(prefix: String, body: Data) throws(SystemLibraryError) -> String {
        var request = "\(prefix):\(credentials.uri)"
        if credentials.qop == "auth-int" { request += try ":" + algorithm.hash(body) }
        let protected = try algorithm.hash(request)
        guard let qop = credentials.qop, let cnonce = credentials.cnonce, let count = credentials.countText else {
            return try algorithm.hash("\(secret):\(credentials.nonce):\(protected)")
        }
        return try algorithm.hash("\(secret):\(credentials.nonce):\(count):\(cnonce):\(qop):\(protected)")
    }
}

extension SAPService.DigestAlgorithm {
    /// The hash of a text in UTF-8, in lowercase hexadecimal digits.
    func hash(_ text: String) throws(SystemLibraryError) -> String { try hash(Data(text.utf8)) }

    /// The hash of data, in lowercase hexadecimal digits.
    func hash(_ data: Data) throws(SystemLibraryError) -> String {
        let algorithm: MessageDigest.Algorithm =
            switch self {
            case .md5: .md5
            case .sha256: .sha256
            case .sha512_256: .sha512t256
            }
        let digits = Array("0123456789abcdef")
        return String(
            try MessageDigest.digest(of: Array(data), algorithm).flatMap {
                [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
            })
    }
}
