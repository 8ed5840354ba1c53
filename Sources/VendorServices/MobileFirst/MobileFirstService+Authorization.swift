import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization

extension MobileFirstService {
    func authorize(_ request: HTTPRequest) throws -> HTTPResponse {
        try request.require(.get)
        let parameters = request.parameters
        guard let id = parameters["client_id"], state.withLock({ $0.clients[id] != nil }) else {
            throw Failure.invalidClientID
        }
        guard let redirectURI = parameters["redirect_uri"], configuration.redirectURIs.contains(redirectURI) else {
            throw Failure.invalidRequest("`redirect_uri` is missing or not in `Configuration.redirectURIs`")
        }
        let result: (name: String, value: String)
        do {
            guard parameters["response_type"] == "code" else {
                throw Failure.oauth("unsupported_response_type", "Use the response type `code`")
            }
            result = ("code", try code(for: id, Scope(parameters["scope"]), redirectURI))
        } catch let failure as Failure where failure.isOAuth {
            result = ("error", failure.code.lowercased())
        }
        let target = state.withLock { $0.redirectTarget } ?? redirectURI
        let stated = parameters["state"].map { "&state=\($0.percentEncoded(except: .unreserved))" } ?? ""
        let query = "\(result.name)=\(result.value.percentEncoded(except: .unreserved))\(stated)"
        var response = request.response(.found)
        try response.head.fields.set(.location, to: "\(target)\(target.contains("?") ? "&" : "?")\(query)")
        return response
    }

    /// Creates a code, if the client has passed all checks of the scope.
    private func code(for id: String, _ scope: Scope, _ redirectURI: String) throws(Failure) -> String {
        let own = try checks(for: scope)
        let required = try allChecks(for: scope)
        let code = configuration.makeID()
        let now = self.now
        try state.withLock { state throws(Failure) in
            guard let client = state.clients[id] else { throw .invalidClientID }
            let identities = required.compactMap { client.checks[$0]?.identity(at: now) }
            guard identities.count == required.filter({ checks[$0] != nil }).count else {
                throw .oauth("access_denied", "A security check of the scope is not passed; preauthorize first")
            }
            let username = identities.lazy.compactMap { $0["user"]?["id"]?.string }.first
            state.removeExpired(at: now)
            state.codes[code] = Grant(
                authorization: Authorization(clientID: id, scope: scope, checks: own, username: username),
                redirectURI: redirectURI, expiry: now + configuration.codeLifetime.capped)
        }
        return code
    }
}
