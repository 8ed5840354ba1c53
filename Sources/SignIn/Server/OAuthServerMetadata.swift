public import Foundation
import HTTPMessages
public import JSON

/// The endpoints and abilities of an OAuth 2.0 server (RFC 8414).
///
/// It is `Codable`, as the server's document: an app that has to start without a network saves the one of
/// ``OAuthLogin/metadata()``, and passes it to ``OAuthServer/metadata(_:)``.
public struct OAuthServerMetadata: Hashable, Sendable {
    /// The issuer identifier.
    public let issuer: String
    /// Where the user signs in; nil if the server has no authorization endpoint.
    public let authorizationEndpoint: URL?
    /// Where codes become tokens.
    public let tokenEndpoint: URL
    /// Where tokens are revoked (RFC 7009); nil without one.
    public let revocationEndpoint: URL?
    /// Where a device asks for a code (RFC 8628); nil without one.
    public let deviceAuthorizationEndpoint: URL?
    /// Where authorization requests are pushed to (RFC 9126); nil without one.
    public let pushedAuthorizationRequestEndpoint: URL?
    /// Whether each authorization response names its issuer (RFC 9207).
    public let returnsIssuer: Bool
    /// The document.
    public let document: JSONValue

    /// Reads a document.
    /// - Throws: ``SignInError`` (`invalidMetadata`, `insecureURL`, `invalidConfiguration`).
    public init(document: JSONValue) throws(SignInError) {
        guard document.object != nil else { throw Self.invalid("it is not a JSON object") }
        guard let issuer = document["issuer"]?.string else { throw Self.invalid("`issuer` is missing or not a string") }
        self.issuer = try Issuer(issuer).text
        let endpoint = { (name: String) throws(SignInError) in try Self.endpoint(name, of: document, issuer: issuer) }
        guard let token = try endpoint("token_endpoint") else {
            throw Self.invalid("`token_endpoint` is missing", issuer: issuer)
        }
        tokenEndpoint = token
        authorizationEndpoint = try endpoint("authorization_endpoint")
        revocationEndpoint = try endpoint("revocation_endpoint")
        deviceAuthorizationEndpoint = try endpoint("device_authorization_endpoint")
        pushedAuthorizationRequestEndpoint = try endpoint("pushed_authorization_request_endpoint")
        returnsIssuer = document["authorization_response_iss_parameter_supported"]?.bool ?? false
        self.document = document
    }

    /// Creates metadata for a server without a document.
    /// - Throws: ``SignInError`` (`insecureURL`, `invalidMetadata`, `invalidConfiguration`).
    public init(
        issuer: String, authorization: String? = nil, token: String, revocation: String? = nil,
        deviceAuthorization: String? = nil
    ) throws(SignInError) {
        var members: [String: JSONValue] = ["issuer": .string(issuer), "token_endpoint": .string(token)]
        members["authorization_endpoint"] = authorization.map { .string($0) }
        members["revocation_endpoint"] = revocation.map { .string($0) }
        members["device_authorization_endpoint"] = deviceAuthorization.map { .string($0) }
        try self.init(document: .object(members))
    }

    /// True if the server says that it supports a value of a list, or has no such list.
    func allows(_ value: String, in list: String) -> Bool {
        guard let values = document[list]?.array else { return true }
        return values.contains(.string(value))
    }

    private static func endpoint(
        _ name: String, of document: JSONValue, issuer: String
    ) throws(SignInError) -> URL? {
        guard let value = document[name], !value.isNull else { return nil }
        guard let text = value.string, let request = try? HTTPRequest(.get, text), !text.contains("#") else {
            throw invalid("`\(name)` is not an http URL", issuer: issuer)
        }
        guard request.origin.protectsSecrets else {
            throw SignInError(
                .insecureURL,
                "`\(name)` of \(issuer.shown) is http, which would send secrets unencrypted; the server has to use https."
            )
        }
        return request.url
    }

    /// - Parameter reason: without values of the document.
    static func invalid(
        _ reason: String, issuer: String? = nil, underlying: (any Error)? = nil
    ) -> SignInError {
        SignInError(
            .invalidMetadata,
            "Invalid metadata\(issuer.map { " of \($0.shown)" } ?? ""): \(reason); check the issuer, or pass "
                + "`.metadata(...)`.", underlying: underlying)
    }
}

extension OAuthServerMetadata: Codable {
    /// Reads the document.
    public init(from decoder: any Decoder) throws { try self.init(document: JSONValue(from: decoder)) }

    /// Writes the document.
    public func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) }
}
