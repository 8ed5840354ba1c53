import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization

extension MobileFirstService {
    private static let methods: [HTTPMethod] = [.get, .post, .put, .delete, .patch, .head, .options]

    func callAdapter(_ request: HTTPRequest, _ segments: [String]) async throws -> HTTPResponse {
        guard Self.methods.contains(request.method) else { throw Failure.methodNotAllowed }
        let candidates = configuration.adapters.filter { segments.starts(with: $0.segments) }
        guard let adapter = candidates.max(by: { $0.segments.count < $1.segments.count }) else {
            throw Failure.notFound
        }
        let authorization = try adapter.scope.map { scope throws(Failure) in
            try self.authorization(of: request, for: Scope(scope), namesScope: adapter.namesScope)
        }
        let tail = segments.dropFirst(adapter.segments.count).map { $0.removingPercentEncoding ?? $0 }
        let context = Adapter.Context(
            tail: tail, clientID: authorization?.clientID, scope: authorization?.scope.text)
        return try await adapter.handler(request, context)
    }

    func introspect(_ request: HTTPRequest) async throws -> HTTPResponse {
        try request.require(.post)
        _ = try authorization(of: request, for: Scope("authorization.introspect"), namesScope: true)
        guard let value = try await request.form()["token"] else {
            throw Failure.invalidRequest("`token` is missing")
        }
        let now = self.now
        guard let token = state.withLock({ $0.tokens[value] }), token.expiry > now else {
            return request.response(json: ["active": false])
        }
        return request.response(json: [
            "active": true, "scope": .string(token.authorization.scope.text),
            "username": .string(orNull: token.authorization.username),
            "client_id": .string(orNull: token.authorization.clientID),
            "exp": .integer(milliseconds + (token.expiry - now).wholeMilliseconds),
        ])
    }

    /// The rights of a request's token.
    /// - Throws: 401 or 403 with a `Bearer` challenge.
    private func authorization(
        of request: HTTPRequest, for scope: Scope, namesScope: Bool
    ) throws(Failure) -> Authorization {
        guard request.fields.values(of: .authorization).count <= 1 else {
            throw .invalidRequest("More than one field Authorization; send one")
        }
        guard let value = request.credential(of: "Bearer") else {
            throw namesScope ? insufficientScope(scope) : bearer(.unauthorized, "A token is missing")
        }
        let now = self.now
        guard let token = state.withLock({ $0.tokens[value] }), token.expiry > now else {
            throw bearer(.unauthorized, "The token is unknown, revoked or expired", [("error", "invalid_token")])
        }
        guard token.authorization.scope.contains(scope) else { throw insufficientScope(scope) }
        return token.authorization
    }

    private func insufficientScope(_ scope: Scope) -> Failure {
        bearer(
            .forbidden, "The token's scope is not sufficient",
            [("error", "insufficient_scope"), ("scope", scope.text)])
    }

    /// A failure with a `Bearer` challenge (RFC 6750, section 3).
    private func bearer(_ status: HTTPStatus, _ text: String, _ parameters: [(String, String)] = []) -> Failure {
        let realm = configuration.realm.map { [("realm", $0)] } ?? []
        let list = (realm + parameters).map { "\($0)=\"\($1)\"" }.joined(separator: ", ")
        return Failure(
            status: status, code: "AUTHORIZATION_FAILURE", text: text,
            challenge: list.isEmpty ? "Bearer" : "Bearer \(list)")
    }
}
