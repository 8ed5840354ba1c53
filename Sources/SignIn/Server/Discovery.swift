import Authentication
import Foundation
import HTTPMessages
import Transport

/// Loads the metadata of an issuer (RFC 8414, section 3, and OpenID Connect Discovery 1.0, section 4).
struct Discovery {
    let issuer: Issuer
    let transport: AnyTransport
    let timeouts: Timeouts
    /// Follows the server's `Date`, so that the first proof has the right time.
    let clock: ServerClock

    /// Asks the well-known URLs in turn, until one has a document.
    ///
    /// Redirects are not followed by a bare transport, and a document is only taken if it names the issuer: otherwise
    /// one server could pass for another (RFC 8414, section 6.2).
    /// - Throws: ``SignInError`` (`invalidMetadata`, `otherIssuer`, `insecureURL`); errors of the transport.
    func metadata() async throws -> OAuthServerMetadata {
        var statuses: [HTTPStatus] = []
        for url in issuer.metadataURLs {
            let response = try await response(of: url)
            if response.status.isSuccessful { return try metadata(in: response) }
            guard response.status.kind != .serverError else {
                throw failure("the server responded \(response.status); retry later")
            }
            statuses.append(response.status)
        }
        throw failure(
            "no document at \(issuer.metadataURLs.map(\.shown).joined(separator: " or ")) "
                + "(\(statuses.map { "\($0)" }.joined(separator: ", "))); check the issuer, or pass `.metadata(...)`")
    }

    private func response(of url: String) async throws -> HTTPResponse {
        var options = RequestOptions(timeouts: timeouts, maximumResponseBytes: 1 << 20)
        options.skipsAuthorization = true
        let request = try HTTPRequest(
            .get, url, fields: HTTPFields(["Accept": "application/json"]), options: options)
        do {
            let response = try await transport.send(request)
            // With an age it is from a cache, and its `Date` is of another time.
            if response.fields["Age"] == nil { clock.synchronize(with: response.head) }
            return response
        } catch let error as TransportError where error.code == .responseTooLarge {
            throw failure("the document is larger than 1 MiB", underlying: error)
        }
    }

    private func metadata(in response: HTTPResponse) throws -> OAuthServerMetadata {
        let document: JSONValue
        do {
            document = try JSONValue(parsing: response.body)
        } catch {
            throw failure("the document is not JSON, or damaged; check the issuer", underlying: error)
        }
        if let named = document["issuer"]?.string, named != issuer.text {
            throw SignInError(
                .otherIssuer,
                "Metadata of another issuer: expected \(issuer.text.shown), found \(named.shown); if that is your server, "
                    + "pass it to `.discover(...)`, character for character.")
        }
        return try OAuthServerMetadata(document: document)
    }

    private func failure(_ reason: String, underlying: (any Error)? = nil) -> SignInError {
        SignInError(
            .invalidMetadata, "Cannot load the metadata of \(issuer.text.shown): \(reason).", underlying: underlying)
    }
}
