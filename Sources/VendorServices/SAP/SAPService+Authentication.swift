import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization

extension SAPService {
    /// The result of valid credentials.
    struct Identity {
        let user: String
        /// The verified credentials of Digest; nil for Basic.
        var digest: DigestProof?
    }

    /// The user of a request.
    /// - Throws: ``Failure``, a 401 with challenges.
    func authenticate(_ exchange: Exchange) throws -> Identity {
        let fields = exchange.request.fields.values(of: .authorization)
        guard fields.count <= 1 else { throw Failure.badRequest("More than one field Authorization; send one") }
        var isStale = false
        let identity = try fields.first.flatMap { try self.identity(of: $0, in: exchange, isStale: &isStale) }
        guard let identity else { throw try challenge(isStale: isStale) }
        state.withLock { $0.counts.authentications += 1 }
        return identity
    }

    private func identity(of field: String, in exchange: Exchange, isStale: inout Bool) throws -> Identity? {
        if let text = exchange.request.credential(of: "Basic") { return basicIdentity(of: text) }
        guard let credentials = DigestCredentials(field), credentials.realm == configuration.realm,
            credentials.uri == exchange.request.target, let password = configuration.users[credentials.user],
            let scheme = credentials.scheme(among: configuration.schemes),
            let proof = try DigestProof(credentials, password: password, scheme: scheme),
            try proof.response(method: exchange.request.method.name, body: exchange.body) == credentials.response
        else { return nil }
        // The nonce comes last, since only a client that knows the password may learn that it is stale.
        switch state.withLock({ [now] in $0.nonces.use(credentials.nonce, count: credentials.count, at: now) }) {
        case .accepted: return Identity(user: credentials.user, digest: proof)
        case .stale, .repeated: isStale = true
        case .unknown: break
        }
        return nil
    }

    private func basicIdentity(of text: String) -> Identity? {
        guard configuration.schemes.contains(.basic), let data = Data(base64Encoded: text) else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let password = configuration.users[String(parts[0])], password == parts[1] else {
            return nil
        }
        return Identity(user: String(parts[0]))
    }

    /// A 401 with a challenge for each scheme, of which those of Digest share a new nonce.
    private func challenge(isStale: Bool) throws -> Failure {
        let nonce = issueNonce()
        state.withLock { state in
            state.counts.challenges += 1
            if isStale { state.counts.staleChallenges += 1 }
        }
        var failure = Failure(
            status: .unauthorized, code: "UNAUTHORIZED", message: "Authentication failed; check user and password")
        failure.challenges = configuration.schemes.map { scheme in
            switch scheme {
            case .basic: "Basic realm=\"\(configuration.realm)\", charset=\"UTF-8\""
            case .digest(let algorithm, let session, let qop):
                "Digest realm=\"\(configuration.realm)\""
                    + (qop.isEmpty ? "" : ", qop=\"\(qop.map(\.rawValue).joined(separator: ","))\"")
                    + ", algorithm=\(algorithm.rawValue)\(session ? "-sess" : ""), nonce=\"\(nonce)\""
                    + (isStale ? ", stale=true" : "")
            }
        }
        return failure
    }

    private func issueNonce() -> String {
        let nonce = configuration.makeID()
        state.withLock { [now] in $0.nonces.issue(nonce, at: now) }
        return nonce
    }

    /// The response with `Authentication-Info` (RFC 7616, section 3.5), if the request used Digest.
    func confirming(_ identity: Identity, in response: HTTPResponse, to exchange: Exchange) throws -> HTTPResponse {
        guard let digest = identity.digest else { return response }
        let isEmpty = exchange.request.method == .head || [.noContent, .notModified].contains(response.status)
        var info = try digest.confirmation(of: isEmpty ? Data() : response.body)
        if configuration.rotatesNonces { info.append("nextnonce=\"\(issueNonce())\"") }
        var response = response
        if !info.isEmpty { try response.head.fields.set("Authentication-Info", to: info.joined(separator: ", ")) }
        return response
    }
}

extension HTTPRequest {
    /// The path and query of the URL, as sent in the request line.
    fileprivate var target: String { url.path() + (url.query().map { "?" + $0 } ?? "") }
}
