package import Foundation
package import HTTPMessages
import PatchbayErrors
package import Transport

/// An endpoint of an OAuth 2.0 server that takes a form with the client's authentication.
///
/// ``TokenEndpoint`` sends token requests by it. Others are those of revocations and pushed authorization requests.
package struct OAuthEndpoint: Sendable {
    /// What an endpoint is for, as errors name it.
    package enum Purpose: String, Sendable {
        /// RFC 6749, section 3.2.
        case token = "token"
        /// RFC 7009.
        case revocation = "revocation"
        /// RFC 8628, section 3.1.
        case deviceAuthorization = "device authorization"
        /// RFC 9126.
        case pushedAuthorization = "pushed authorization"

        /// The name at the start of a sentence.
        var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
    }

    /// What the endpoint is for.
    package let purpose: Purpose
    /// The clock that follows the `Date` field of the responses.
    package let clock: ServerClock
    /// Proves that the client has the key of its tokens; nil for bearer tokens.
    let proof: (any PossessionProof)?
    private let transport: AnyTransport
    private let template: HTTPRequest

    /// Creates an endpoint.
    /// - Parameter allowsInsecureURL: allows `http` for every host, otherwise for this machine only.
    /// - Throws: ``AuthenticationError`` (`insecureEndpoint`); `HTTPMessageError` if the URL is invalid.
    package init(
        _ url: String, for purpose: Purpose, over transport: some Transport, timeouts: Timeouts, clock: ServerClock,
        allowsInsecureURL: Bool = false, proof: (any PossessionProof)? = nil
    ) throws {
        try timeouts.validate()
        var options = RequestOptions(timeouts: timeouts, maximumResponseBytes: 1 << 20)
        options.skipsAuthorization = true
        options.hasSecretBody = true
        options.redirectPolicy = .none
        template = try HTTPRequest(
            .post, url, fields: HTTPFields(["Accept": "application/json"]), options: options)
        guard template.origin.protectsSecrets || allowsInsecureURL else {
            throw AuthenticationError(
                .insecureEndpoint,
                "\(purpose.title) endpoint is http, which would send secrets unencrypted; use https.",
                request: template)
        }
        self.purpose = purpose
        self.clock = clock
        self.proof = proof
        self.transport = AnyTransport(transport)
    }

    /// The URL.
    package var url: URL { template.url }

    /// Sends a form. No redirect is followed: the response must be that of the endpoint.
    /// - Parameters:
    ///   - parameters: the form's parameters, without those of the client's authentication; empty values are omitted.
    ///   - scope: requested, unless empty.
    /// - Throws: ``AuthenticationError`` (`invalidTokenResponse`) for the response of a redirect's target, and for one
    ///   of more than 1 MiB; errors of the transport and of the client's authentication.
    package func response(
        to parameters: [(String, String)], scope: OAuthScope = .empty, client: ClientAuthentication
    ) async throws -> OAuthResponse {
        var parameters = parameters.filter { !$0.1.isEmpty }
        if !scope.isEmpty { parameters.append(("scope", scope.text)) }
        let response = try await send(parameters, client)
        // The nonce is that of the response now. An assertion is valid for one request, so there is another one.
        guard let proof, response.errorCode == proof.nonceError else { return response }
        return try await send(parameters, client)
    }

    private func send(_ parameters: [(String, String)], _ client: ClientAuthentication) async throws -> OAuthResponse {
        var (request, parameters) = (template, parameters)
        var secrets = parameters.filter { Self.secretParameters.contains($0.0) }.map(\.1)
        secrets += try await client.apply(to: &request, parameters: &parameters)
        let form = parameters.map { "\($0.0.formEncoded)=\($0.1.formEncoded)" }.joined(separator: "&")
        try request.fields.set(.contentType, to: MediaType.form.description)
        try request.setBody(.text(form))
        try proof?.prove(&request, with: nil)
        let response: HTTPResponse
        var isTooLong = false
        do {
            response = try await transport.send(request)
        } catch let error as TransportError where error.code == .responseTooLarge {
            guard let head = error.head else { throw error }
            response = HTTPResponse(head: head)
            isTooLong = true
        }
        let result = OAuthResponse(response, request: request, purpose: purpose, secrets: secrets)
        guard !isTooLong else { throw result.invalid("it is longer than 1 MiB") }
        // A transport may follow redirects by itself.
        guard response.head.redirects.isEmpty else { throw result.invalid("it came by a redirect") }
        proof?.learn(from: response.head)
        clock.synchronize(with: response.head)
        return result
    }

    private static let secretParameters: Set<String> = [
        "assertion", "client_assertion", "client_secret", "code", "code_challenge", "code_verifier", "device_code",
        "id_token_hint", "login_hint", "login_hint_token", "nonce", "password", "refresh_token", "request", "state",
        "token",
    ]
}

extension OAuthEndpoint: RedactedStringConvertible {
    /// The purpose and the URL.
    package var description: String { "\(purpose.rawValue) endpoint \(template.redactedURL)" }
}
