import Foundation
public import HTTPMessages
import RequestModel
public import Transport

/// A fake transport with a response for each route, which fails for a request that no route expects.
///
/// ```swift
/// let transport = try RoutedTransport([
///     .get("/orders/{id}") { call in call.request.response(json: ["id": .string(call.variables["id"] ?? "")]) },
///     .post("/orders", times: 1, .status(.created)),
/// ])
/// try await shop.buy("tea", over: transport)
/// try transport.verify()
/// ```
///
/// Of the routes that match a request, the first one that expects another call responds; so a route may be there twice,
/// with its first and its second response. A copy shares the history; transports of different tests share nothing.
/// Events and cancellation are those of a ``ServiceTransport``, timeouts those of a ``ScriptedTransport``.
public struct RoutedTransport: StreamingTransport {
    /// A request, and the route that it took.
    public struct Call: Sendable {
        /// The request, its body in memory.
        public let request: HTTPRequest
        /// The values of the template's variables, decoded.
        public let variables: [String: String]
        /// The position of the route; nil if the request was unexpected.
        public let route: Int?
        /// The method and the template of the route; nil if the request was unexpected.
        public let routeName: String?
    }

    /// The order in which the routes must be called.
    @nonexhaustive public enum Order: Hashable, Sendable {
        /// Any order.
        case any
        /// That of the list; a call of a route before the one that was called last is a violation.
        case listed
    }

    private struct State {
        var calls: [Call] = []
        var counts: [Int]
    }

    /// The routes.
    public let routes: [Route]
    private let order: Order
    private let fallback: ScriptedTransport.Step?
    private let state: Watched<State>

    /// Creates a transport.
    /// - Parameters:
    ///   - order: the order that ``verify()`` checks.
    ///   - fallback: the response for requests that no route expects; by default they fail.
    public init(_ routes: [Route], order: Order = .any, otherwise fallback: ScriptedTransport.Step? = nil) {
        self.routes = routes
        self.order = order
        self.fallback = fallback
        state = Watched(State(counts: Array(repeating: 0, count: routes.count)))
    }

    // MARK: History

    /// The calls so far, in order, unexpected ones too.
    public var calls: [Call] { state.value.calls }

    /// The calls of a method to a template's URLs, regardless of their route.
    /// - Throws: `URITemplateError` (`invalidTemplate`).
    public func calls(_ method: HTTPMethod, _ template: String) throws -> [Call] {
        let template = try URITemplate(template)
        return calls.filter {
            $0.request.method == method && template.variables(in: $0.request.url.absoluteString) != nil
        }
    }

    /// Suspends until there were `count` calls, and returns them.
    /// - Throws: `CancellationError` when the task is cancelled first.
    @discardableResult
    public func calls(count: Int) async throws -> [Call] {
        try await state.wait { $0.calls.count >= count }.calls
    }

    /// Checks the number of calls of each route and their order, and that no call was unexpected.
    /// - Throws: ``RoutingError`` (`notAsExpected`) with all violations.
    public func verify() throws(RoutingError) {
        let state = state.value
        var violations = zip(routes, state.counts).filter { $1 < $0.times.range.lowerBound }.map { route, count in
            "\(route) was called \(count.timesText), and expects \(route.times)"
        }
        violations += state.calls.filter { $0.route == nil }.map { "\($0.request) was not expected" }
        if order == .listed {
            var last = 0
            for route in state.calls.compactMap(\.route) {
                if route < last { violations.append("\(routes[route]) was called after \(routes[last])") }
                last = max(last, route)
            }
        }
        if !violations.isEmpty { throw RoutingError(violations: violations) }
    }

    // MARK: Transport

    /// Responds with the route of the request.
    /// - Throws: ``RoutingError`` (`unexpectedRequest`); what the route fails with; `TransportError` (`cancelled`,
    ///   `unreadableBody`, `responseTooLarge`).
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let chosen = Watched<Chosen?>(nil)
        return try await InProcessExchange(request: request, observer: observer)
            .send(willRespond: { received in chosen.update { $0 = choose(received) } }) {
                try await respond(to: $0, chosen.value)
            }
    }

    /// Responds with the route of the request, and streams the response body in chunks.
    /// - Throws: as ``send(_:observer:)``, without `responseTooLarge`.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let chosen = Watched<Chosen?>(nil)
        return try await InProcessExchange(request: request, observer: observer)
            .stream(willRespond: { received in chosen.update { $0 = choose(received) } }) {
                try await respond(to: $0, chosen.value)
            }
    }

    private struct Chosen: Sendable {
        let call: Call
        let error: RoutingError?
    }

    /// Records a call, and takes its route.
    private func choose(_ request: HTTPRequest) -> Chosen {
        let url = request.url.absoluteString
        let matching = routes.indices.compactMap { index -> (index: Int, variables: [String: String])? in
            guard routes[index].method == request.method else { return nil }
            return routes[index].template.variables(in: url).map { (index, $0) }
        }
        return state.update { state in
            let found = matching.first { state.counts[$0.index] < routes[$0.index].times.range.upperBound }
            if let found { state.counts[found.index] += 1 }
            let call = Call(
                request: request, variables: found?.variables ?? [:], route: found?.index,
                routeName: found.map { routes[$0.index].description })
            state.calls.append(call)
            return Chosen(call: call, error: found == nil ? unexpected(request, used: matching.map(\.index)) : nil)
        }
    }

    private func respond(to request: HTTPRequest, _ chosen: Chosen?) async throws -> HTTPResponse {
        guard let chosen, let route = chosen.call.route else {
            if let fallback { return try await fallback.handler(request) }
            throw chosen?.error ?? unexpected(request, used: [])
        }
        return try await routes[route].respond(chosen.call)
    }

    private func unexpected(_ request: HTTPRequest, used: [Int]) -> RoutingError {
        if let last = used.last {
            return RoutingError(
                unexpected: request, "\(routes[last]) expects \(routes[last].times), and was called once more.")
        }
        let url = request.url.absoluteString
        let others = routes.filter { $0.template.variables(in: url) != nil }.map(\.method.name)
        let hint =
            others.isEmpty
            ? "the routes are \(routes.map(\.description).joined(separator: ", "))"
            : "for this URL there is \(others.joined(separator: ", "))"
        return RoutingError(unexpected: request, "No route expects it; \(hint).")
    }
}

extension Int {
    fileprivate var timesText: String { self == 1 ? "once" : "\(self) times" }
}
