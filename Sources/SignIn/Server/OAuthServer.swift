public import PatchbayErrors

/// Where the endpoints of an OAuth 2.0 server are known from.
public struct OAuthServer: Sendable, RedactedStringConvertible {
    enum Source: Sendable {
        case discovery(issuer: String)
        case metadata(OAuthServerMetadata)
    }

    let source: Source

    /// The server's metadata, loaded when it is first needed (RFC 8414, and OpenID Connect Discovery).
    /// - Parameter issuer: the server's issuer identifier, character for character: metadata of another issuer is
    ///   refused.
    public static func discover(_ issuer: String) -> OAuthServer { OAuthServer(source: .discovery(issuer: issuer)) }

    /// Known metadata: for a server without discovery, and for a start without a network.
    public static func metadata(_ metadata: OAuthServerMetadata) -> OAuthServer {
        OAuthServer(source: .metadata(metadata))
    }

    /// The issuer.
    public var issuer: String {
        switch source {
        case .discovery(let issuer): issuer
        case .metadata(let metadata): metadata.issuer
        }
    }

    /// The issuer.
    public var description: String { "server \(issuer.shown)" }
}
