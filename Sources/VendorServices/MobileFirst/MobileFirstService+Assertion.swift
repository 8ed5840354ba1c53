import HTTPMessages
import Synchronization

extension MobileFirstService {
    /// What a client assertion is made for.
    enum AssertionPurpose {
        /// The token endpoint, with a code.
        case code(String)
        /// The token endpoint, with a refresh token.
        case refreshToken(String)
        /// An endpoint without a code: `aud` and `jti` are null or missing.
        case nothing
        /// As ``nothing``, and without `client_assertion_type`.
        case registration
    }

    /// Lifetime of an assertion, `exp` less `iat`, in milliseconds.
    static let assertionLifetime: Int64 = 60_000

    /// Validates the client assertion of a form or query.
    /// - Returns: the client id.
    func client(assertedBy parameters: Parameters, for purpose: AssertionPurpose) throws(Failure) -> String {
        guard parameters["client_assertion_type"] == purpose.type, let text = parameters["client_assertion"],
            let assertion = JSONWebSignature(compact: text)
        else {
            throw .oauth("invalid_client", "The client assertion is missing, or not a JSON Web Signature of RS256")
        }
        guard let id = assertion.payload["sub"]?.string, let client = state.withLock({ $0.clients[id] }) else {
            throw .invalidClientID
        }
        guard assertion.key == client.key, assertion.keyID == id else {
            throw .oauth("invalid_client", "The key of the client assertion is not the registered one")
        }
        guard try assertion.isValid(by: configuration.signatures) else {
            throw .oauth("invalid_client", "The signature of the client assertion is invalid")
        }
        try check(assertion.payload, of: client, for: purpose)
        return id
    }

    private func check(
        _ payload: [String: JSONValue], of client: Client, for purpose: AssertionPurpose
    ) throws(Failure) {
        guard client.issuers.contains(payload["iss"]?.string ?? "") else {
            throw .oauth("invalid_client", "Invalid iss in the client assertion; use the app id, $ and the platform")
        }
        let audience = payload["aud"]?.string, tokenID = payload["jti"]?.string
        switch purpose {
        case .code(let code):
            guard tokenID == code else { throw .oauth("invalid_client", "FWLSE0012E: Invalid jti") }
            guard audience == "az/v1/token" else { throw .oauth("invalid_client", "Invalid aud; use az/v1/token") }
        case .refreshToken(let token):
            guard tokenID == nil || tokenID == token else { throw .oauth("invalid_client", "FWLSE0012E: Invalid jti") }
            guard audience == "az/v1/token" else { throw .oauth("invalid_client", "Invalid aud; use az/v1/token") }
        case .nothing, .registration:
            guard tokenID == nil, audience == nil else {
                throw .oauth("invalid_client", "Invalid aud or jti in the client assertion; omit both")
            }
        }
        let now = milliseconds, tolerance = configuration.clockTolerance.capped.wholeMilliseconds
        guard let issued = payload["iat"]?.integer, let expiry = payload["exp"]?.integer,
            expiry.subtractingReportingOverflow(issued) == (Self.assertionLifetime, false)
        else {
            throw .oauth("invalid_client", "Invalid iat or exp in the client assertion; exp is iat plus 60000 ms")
        }
        guard issued <= now + tolerance, expiry > now - tolerance else {
            throw .oauth("invalid_client", "The client assertion is expired or from the future; synchronize the clock")
        }
    }
}

extension MobileFirstService.AssertionPurpose {
    /// Value of `client_assertion_type` (RFC 7523, section 2.2).
    fileprivate var type: String? {
        if case .registration = self { nil } else { "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" }
    }
}

extension MobileFirstService.Client {
    /// The accepted values of `iss`; public sources show the version in none or one of these forms.
    fileprivate var issuers: [String] {
        let application = registration["application"]
        let name = "\(application?["id"]?.string ?? "")$\(application?["clientPlatform"]?.string ?? "")"
        guard let version = application?["version"]?.string else { return [name] }
        return [name, "\(name)$\(version)", "\(name)($\(version))", "\(name)(\(version))"]
    }
}
