import Foundation
import HTTPMessages
public import PatchbayErrors

/// How an OAuth client authenticates itself to the token endpoint (RFC 6749, section 2.3, and RFC 7523).
public struct ClientAuthentication: Sendable, RedactedStringConvertible {
    private enum Method: Sendable {
        case none(id: String)
        case basic(id: String, value: String, secret: String)
        case parameters(id: String, secret: String)
        case assertion(id: String, @Sendable () async throws -> String)
    }

    private let method: Method
    private init(_ method: Method) { self.method = method }

    /// A public client, such as an app: sends `client_id` only.
    public static func publicClient(id: String) -> Self { Self(.none(id: id)) }

    /// Basic authentication, which every server supports (RFC 6749, section 2.3.1).
    ///
    /// Id and secret are form-encoded first, as the RFC demands. Some servers do not decode them; when these refuse a
    /// secret with reserved characters, use ``parameters(id:secret:)``.
    /// - Throws: ``AuthenticationError`` (`invalidCredential`).
    public static func basic(id: String, secret: String) throws(AuthenticationError) -> Self {
        // Form encoding first, as the RFC demands; so a colon is allowed here.
        let value = try BasicAuthorizer.value(user: id.formEncoded, password: secret.formEncoded)
        return Self(.basic(id: id, value: value, secret: secret))
    }

    /// `client_id` and `client_secret` in the body, for servers without Basic.
    public static func parameters(id: String, secret: String) -> Self { Self(.parameters(id: id, secret: secret)) }

    /// A signed assertion (RFC 7523, section 2.2).
    public static func assertion(_ assertion: ClientAssertion) -> Self {
        Self(.assertion(id: assertion.clientID) { try await assertion.token() })
    }

    /// An assertion that a closure makes for each token request, for servers with claims of their own.
    public static func assertion(
        clientID: String, _ makeToken: @escaping @Sendable () async throws -> String
    ) -> Self {
        Self(.assertion(id: clientID, makeToken))
    }

    /// The `client_id`.
    public var id: String {
        switch method {
        case .none(let id), .basic(let id, _, _), .parameters(let id, _), .assertion(let id, _): id
        }
    }

    /// True if the client signs each token request with a time.
    var isSigned: Bool { if case .assertion = method { true } else { false } }

    /// Adds the client's authentication to a token request. A `client_id` that the parameters have stays the only one.
    /// - Returns: the secrets that were added, for redaction.
    func apply(to request: inout HTTPRequest, parameters: inout [(String, String)]) async throws -> [String] {
        func addID(_ id: String) {
            if !parameters.contains(where: { $0.0 == "client_id" }) { parameters.append(("client_id", id)) }
        }
        switch method {
        case .none(let id):
            addID(id)
            return []
        case .basic(_, let value, let secret):
            try request.fields.set(.authorization, to: value)
            return [value, String(value.dropFirst("Basic ".count)), secret]
        case .parameters(let id, let secret):
            addID(id)
            parameters.append(("client_secret", secret))
            return [secret]
        case .assertion(let id, let makeToken):
            let assertion = try await makeToken()
            addID(id)
            parameters += [
                ("client_assertion_type", ClientAssertion.type), ("client_assertion", assertion),
            ]
            return [assertion]
        }
    }

    /// The kind of authentication.
    public var description: String {
        switch method {
        case .none: "public client"
        case .basic: "client with Basic authentication"
        case .parameters: "client with a secret"
        case .assertion: "client with an assertion"
        }
    }
}

extension ClientAuthentication: ExpressibleByStringLiteral {
    /// A public client: ``publicClient(id:)``.
    public init(stringLiteral id: String) { self = .publicClient(id: id) }
}
