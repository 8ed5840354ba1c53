public import Foundation
public import HTTPMessages
public import PatchbayTestKit
import Synchronization

/// An emulated order server that honors `Idempotency-Key` and counts its effects.
///
/// | endpoint | behavior |
/// |---|---|
/// | `POST /orders` | creates an order: 201 with `{"id": n}`; needs an `Idempotency-Key` (400 without) |
/// | `PUT`, `DELETE /orders/{name}` | changes and removes a named order: 200 with `{"version": n}`, 204 |
/// | `POST /attachments` | stores the body: 201 with `{"bytes": n}` |
/// | other paths | 404; 405 for another method |
///
/// A repeated key gets the stored response without a further effect, 422 with another request, and 409 while the first
/// request is in progress, as the draft "The Idempotency-Key HTTP Header Field" (IETF httpapi, 07) proposes. Responses
/// of status 5xx are not stored.
public final class OrderService: HTTPService {
    /// One effect of a request.
    public struct Effect: Hashable, Sendable {
        /// The `Idempotency-Key`; empty without one.
        public let idempotencyKey: String
        /// The method and the path.
        public let target: String
        /// The body.
        public let body: Data
        /// The `Authorization` of the request, if it had one.
        public let authorization: String?
    }

    /// What a test does with a request before or after its effect.
    public enum Fault: Hashable, Sendable {
        /// Responds with a status and has no effect.
        case status(HTTPStatus)
        /// Has its effect, and then responds with 500 that is not stored: the response is lost.
        case lostResponse
    }

    private struct State {
        var effects: [Effect] = []
        var keys = IdempotencyStore()
        var versions: [String: Int] = [:]
        var requestCount = 0
        var faults = InjectedFaults<String, Fault>()
    }

    private let state: Watched<State>
    private let beforeResponse: @Sendable (HTTPRequest) async throws -> Void

    /// Creates a server without orders.
    /// - Parameter beforeResponse: called after the effect of each request, and before its response.
    public init(beforeResponse: @escaping @Sendable (HTTPRequest) async throws -> Void = { _ in }) {
        state = Watched(State())
        self.beforeResponse = beforeResponse
    }

    /// The effects so far, in their order.
    public var effects: [Effect] { state.value.effects }
    /// The number of requests so far, repeated ones included.
    public var requestCount: Int { state.value.requestCount }

    /// Makes the next requests with a method fail, the first one first.
    public func inject(_ fault: Fault, for method: HTTPMethod, count: Int = 1) {
        state.update { $0.faults.inject(fault, at: method.name, count: count) }
    }

    /// Suspends until there were a number of effects, and returns them.
    /// - Throws: `CancellationError` when the task is cancelled first.
    @discardableResult
    public func effects(count: Int) async throws -> [Effect] {
        try await state.wait { $0.effects.count >= count }.effects
    }

    /// Suspends until there were a number of requests.
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func waitForRequests(_ count: Int) async throws { try await state.wait { $0.requestCount >= count } }

    /// Responds to one request.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let body = try await request.body.collect()
        let fault = state.update { state in
            state.requestCount += 1
            return state.faults.next(at: request.method.name)
        }
        if case .status(let status) = fault { return request.response(status, json: ["error": "injected"]) }
        guard let key = request.fields[.idempotencyKey] else {
            return request.method == .post
                ? request.response(.badRequest, json: ["error": "Idempotency-Key is missing"])
                : try await perform(request, body, key: "", fault)
        }
        if let known = state.update({ $0.keys.begin(key, request, body) }) { return known }
        do {
            let response = try await perform(request, body, key: key, fault)
            state.update { $0.keys.end(key, response) }
            return fault == .lostResponse ? request.response(.internalServerError) : response
        } catch {
            state.update { $0.keys.end(key, nil) }
            throw error
        }
    }

    private func perform(_ request: HTTPRequest, _ body: Data, key: String, _ fault: Fault?) async throws
        -> HTTPResponse
    {
        let path = request.url.path().split(separator: "/").map(String.init)
        let target = "\(request.method) \(request.url.path())"
        let response: HTTPResponse? = state.update { state in
            func effect() {
                state.effects.append(
                    Effect(
                        idempotencyKey: key, target: target, body: body, authorization: request.fields[.authorization]))
            }
            switch (request.method, path.first, path.count) {
            case (.post, "orders", 1):
                effect()
                return request.response(.created, json: ["id": .integer(Int64(state.effects.count))])
            case (.post, "attachments", 1):
                effect()
                return request.response(.created, json: ["bytes": .integer(Int64(body.count))])
            case (.put, "orders", 2):
                effect()
                state.versions[path[1], default: 0] += 1
                return request.response(json: ["version": .integer(Int64(state.versions[path[1]] ?? 0))])
            case (.delete, "orders", 2):
                effect()
                state.versions[path[1]] = nil
                return request.response(.noContent)
            case (_, "orders", 1...2), (_, "attachments", 1): return request.response(.methodNotAllowed)
            default: return nil
            }
        }
        try await beforeResponse(request)
        return response ?? request.response(.notFound, json: ["error": "no such endpoint"])
    }
}
