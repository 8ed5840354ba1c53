import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Testing
import Transport

let api = "https://api.example.com/items"

func request(
    _ method: HTTPMethod = .get, _ url: String = api, body: HTTPBody = .empty, scope: OAuthScope? = nil,
    total: Duration? = nil
) throws -> HTTPRequest {
    try HTTPRequest(
        method, url, body: body,
        options: RequestOptions {
            $0.authorizationScope = scope
            $0.timeouts.total = total
        })
}

func head(
    _ status: HTTPStatus, _ fields: KeyValuePairs<String, String> = [:], url: String = api
) throws -> HTTPResponseHead {
    HTTPResponseHead(status: status, fields: try HTTPFields(fields), url: try URL(httpString: url))
}

/// An authorizer that numbers its tokens: `token-1`, `token-2`.
final class NumberedTokens: Authorizer {
    let lifetime: Duration?
    let maximumReplays: Int
    /// Suspends each refresh.
    let gate: Gate
    private let failure: Mutex<(any Error)?>
    private let needs = Mutex<[CredentialNeed<OAuthScope, String>]>([])

    init(
        lifetime: Duration? = nil, replays: Int = 1, gate: Gate = Gate(isOpen: true), failure: (any Error)? = nil
    ) {
        self.lifetime = lifetime
        maximumReplays = replays
        self.gate = gate
        self.failure = Mutex(failure)
    }

    /// The needs of all refreshes so far.
    var refreshes: [CredentialNeed<OAuthScope, String>] { needs.withLock { $0 } }

    func fail(_ error: (any Error)?) { failure.withLock { $0 = error } }

    func scope(of request: HTTPRequest) -> OAuthScope? { request.options.authorizationScope ?? .empty }

    func authorize(_ request: inout HTTPRequest, with token: String) throws {
        try request.fields.set(.authorization, to: "Bearer \(token)")
    }

    func obtain(_ need: CredentialNeed<OAuthScope, String>) async throws -> IssuedCredential<String> {
        let number = needs.withLock { needs in
            needs.append(need)
            return needs.count
        }
        try await gate.wait()
        if let error = failure.withLock({ $0 }) { throw error }
        return IssuedCredential("token-\(number)", lifetime: lifetime)
    }
}

struct RefreshFailed: Error {}

/// A server that accepts some tokens and rejects all others with status 401.
final class TokenGuard: Sendable {
    private let accepted: Mutex<Set<String>>
    private let seen = Mutex<[String?]>([])

    init(accepting tokens: Set<String>) { accepted = Mutex(Set(tokens.map { "Bearer \($0)" })) }

    /// The `Authorization` fields of all requests.
    var authorizations: [String?] { seen.withLock { $0 } }

    func accept(_ tokens: Set<String>) { accepted.withLock { $0 = Set(tokens.map { "Bearer \($0)" }) } }

    var transport: FakeTransport {
        FakeTransport { [self] request in
            let token = request.fields[.authorization]
            seen.withLock { $0.append(token) }
            let isAccepted = token.map { token in accepted.withLock { $0.contains(token) } } ?? false
            return request.response(isAccepted ? .ok : .unauthorized, text: isAccepted ? "items" : "no")
        }
    }
}
