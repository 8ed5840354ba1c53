import Authentication
import Foundation
import HTTPMessages

/// The rules for an ID token that came from the token endpoint (OpenID Connect Core, section 3.1.3.7).
struct IDTokenCheck {
    let issuer: String
    let client: String
    /// Nil for a sign-in without one, such as that of a device.
    let nonce: String?
    /// The server's time, as far as it is known.
    let now: Date
    let tolerance: Duration

    /// Reads and checks a token.
    /// - Throws: ``SignInError`` (`invalidIDToken`, `otherIssuer`).
    func token(_ text: String) throws(SignInError) -> IDToken {
        let claims = try claims(of: text)
        guard let named = claims["iss"]?.string else { throw missing("iss") }
        guard named == issuer else {
            throw SignInError(
                .otherIssuer, "The ID token is of another issuer: expected \(issuer.shown), found \(named.shown).")
        }
        guard let subject = claims["sub"]?.string, !subject.isEmpty else { throw missing("sub") }
        try checkAudience(claims)
        try checkNonce(claims)
        return IDToken(
            value: text, claims: claims, issuer: named, subject: subject, expiry: try checkedExpiry(claims))
    }

    private func claims(of text: String) throws(SignInError) -> JSONValue {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count != 5 else {
            throw invalid("it is encrypted, which is not supported; let the server issue signed ones to this client")
        }
        guard parts.count == 3, let algorithm = Self.object(parts[0])?["alg"]?.string,
            algorithm.lowercased() != "none", Data(base64URLEncoded: String(parts[2]))?.isEmpty == false,
            let claims = Self.object(parts[1])
        else { throw invalid("it is not a signed JSON Web Token, or damaged") }
        return claims
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let data = Data(base64URLEncoded: String(part)), let value = try? JSONValue(parsing: data),
            value.object != nil
        else { return nil }
        return value
    }

    private func checkAudience(_ claims: JSONValue) throws(SignInError) {
        let values = claims["aud"]?.array ?? claims["aud"].map { [$0] } ?? []
        let audience = values.compactMap(\.string)
        // What is not a string is no audience that could be left out.
        guard !audience.isEmpty, audience.count == values.count else { throw missing("aud") }
        guard audience.contains(client) else {
            throw invalid("it is for another client: `aud` is \(audience[0].shown), and this one is \(client.shown)")
        }
        let party = claims["azp"]?.string
        guard party == client || party == nil && audience.count == 1 else {
            throw invalid("it was issued to another client: `azp` is \((party ?? "").shown), with several audiences")
        }
    }

    private func checkNonce(_ claims: JSONValue) throws(SignInError) {
        guard let nonce else { return }
        guard let named = claims["nonce"]?.string else { throw missing("nonce") }
        guard SecretText.areEqual(named, nonce) else {
            throw invalid("its `nonce` is that of another sign-in; start the sign-in again")
        }
    }

    private func checkedExpiry(_ claims: JSONValue) throws(SignInError) -> Date {
        guard let expiry = Self.date(claims["exp"]) else { throw missing("exp") }
        guard let issued = Self.date(claims["iat"]) else { throw missing("iat") }
        let tolerance = TimeInterval(tolerance.components.seconds)
        guard expiry.addingTimeInterval(tolerance) > now else {
            throw invalid(
                "`exp` is \(expiry.formatted(.iso8601)), and it is \(now.formatted(.iso8601)); \(Self.clockRemedy)")
        }
        guard issued.addingTimeInterval(-tolerance) <= now else {
            throw invalid(
                "`iat` is \(issued.formatted(.iso8601)), and it is only \(now.formatted(.iso8601)); \(Self.clockRemedy)"
            )
        }
        return expiry
    }

    private static let clockRemedy =
        "set the clock of this device or of the server, or raise `SignInSettings.clockTolerance`"

    /// A time in seconds since 1970, within 300 years.
    private static func date(_ value: JSONValue?) -> Date? {
        guard let seconds = value?.double, seconds.isFinite, abs(seconds) <= 3 * .century else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    private func missing(_ claim: String) -> SignInError { invalid("`\(claim)` is missing, or not of its type") }

    /// - Parameter reason: without secrets.
    private func invalid(_ reason: String) -> SignInError {
        SignInError(.invalidIDToken, "Invalid ID token of \(issuer.shown): \(reason).")
    }
}
