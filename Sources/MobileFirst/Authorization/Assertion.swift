import Authentication
import Foundation
import HTTPMessages

/// The claims of a client assertion: times are milliseconds, and the life is one minute.
struct Assertion {
    let registration: Registration
    let application: WLConfiguration
    /// `jti`: the code that is exchanged; null without one.
    let id: String?
    /// `aud`: `az/v1/token`, or null.
    let audience: String?
    /// The server's time.
    let time: Date

    var claims: JSONValue {
        let now = Int64((time.timeIntervalSince1970 * 1000).rounded())
        return [
            "iss": .string("\(application.applicationID)$\(application.clientPlatform)"),
            "sub": .string(registration.clientID), "jti": id.map { .string($0) } ?? .null,
            "aud": audience.map { .string($0) } ?? .null, "iat": .integer(now), "exp": .integer(now + 60_000),
        ]
    }

    func signed() async throws -> SignedJSON {
        try await SignedJSON(
            header: registration.key.header(clientID: registration.clientID), payload: claims,
            signer: registration.key)
    }
}

extension RSAPrivateKey {
    /// The header of a signature, with the public key.
    func header(clientID: String?) -> JSONValue {
        var key = publicKey.jwk.object ?? [:]
        if let clientID { key["kid"] = .string(clientID) }
        return ["alg": "RS256", "jwk": .object(key)]
    }
}
