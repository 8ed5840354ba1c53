public import Authentication
import Foundation
import HTTPMessages

extension WLClient {
    /// Creates an OAuth client for a confidential client, such as a server: grant `client_credentials`, with Basic.
    ///
    /// ```swift
    /// let tokens = try client.confidentialClient(id: "reports", secret: secret, scope: "accessRestricted")
    /// let transport = network.authorizing(with: tokens, at: try AllowedOrigins("https://mfp.example.com"))
    /// ```
    /// Not for apps: a secret in an app is not secret.
    /// - Throws: ``WLError`` (`configuration`, `authorization`).
    public func confidentialClient(id: String, secret: String, scope: OAuthScope = .empty) throws(WLError)
        -> OAuthClient
    {
        do {
            return OAuthClient(
                try authorization.requests.tokenEndpoint(state.servers(), client: .basic(id: id, secret: secret)),
                grant: .clientCredentials, scope: scope)
        } catch {
            throw WLError(error)
        }
    }
}
