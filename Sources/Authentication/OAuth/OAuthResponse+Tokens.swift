package import Foundation
package import HTTPMessages

extension OAuthResponse {
    /// Maximum bytes of each token: more does not fit the header fields that servers accept.
    private static let maximumTokenBytes = 64 << 10

    /// Reads the tokens.
    /// - Parameters:
    ///   - scope: the scope of a token without one of its own.
    ///   - type: the `token_type`; a missing one is taken for `Bearer`.
    ///   - now: the local time at which the response arrived.
    /// - Throws: ``AuthenticationError`` (`refused`, `invalidTokenResponse`, `invalidCredential`).
    func tokens(scope: OAuthScope, type: String, now: Date) throws(AuthenticationError) -> IssuedTokens {
        let members = try accepted()
        guard let value = try token("access_token", in: members) else {
            throw invalid("no `access_token`, or no JSON object")
        }
        guard (members?["token_type"]?.string ?? "Bearer").lowercased() == type.lowercased() else {
            throw invalid("the `token_type` is not `\(type)`")
        }
        let token = try OAuthToken(
            value, scope: members?["scope"]?.string.map { OAuthScope($0) } ?? scope,
            expiry: Self.seconds(members?["expires_in"]).map { now + $0 },
            refreshToken: token("refresh_token", in: members))
        return IssuedTokens(token: token, idToken: try self.token("id_token", in: members))
    }

    private func token(_ name: String, in members: JSONValue?) throws(AuthenticationError) -> String? {
        guard let value = members?[name]?.string, !value.isEmpty else { return nil }
        guard value.utf8.count <= Self.maximumTokenBytes else {
            throw invalid(
                "`\(name)` has \(value.utf8.count) bytes, and at most \(Self.maximumTokenBytes) can be sent",
                remedy: "configure the server to issue shorter tokens")
        }
        return value
    }

    /// A lifetime in seconds, at most 100 years; some servers send a string. Nil for anything else.
    package static func seconds(_ value: JSONValue?) -> TimeInterval? {
        let seconds = value?.double ?? value?.string.flatMap(Double.init)
        return seconds.flatMap { $0.isFinite ? min(max($0, 0), .century) : nil }
    }
}
