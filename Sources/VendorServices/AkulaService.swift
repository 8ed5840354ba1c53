import Coordination
import Foundation
public import HTTPMessages
public import PatchbayTestKit
import Synchronization
import Transport

/// An emulated Akula server with one app scope.
///
/// It has login, sessions with a sliding timeout, a few endpoints, and errors in the vendor's format.
///
/// | endpoint | behavior |
/// |---|---|
/// | `POST /auth/login`, `POST /auth/logout` | starts and ends a session |
/// | `GET /data/jsonData` | echoes query, `X-` headers and user |
/// | `GET`, `POST /data/items`, `GET`, `PUT`, `DELETE /data/items/{id}` | stores items; writing requires a session |
/// | `GET /data/text` | text in ISO 8859-1 |
/// | `GET /data/slow` | never answers |
/// | other paths | 404 with an Akula error; 405 for another method |
public final class AkulaService: HTTPService {
    fileprivate struct State {
        var sessions: [String: (user: String, expiry: Duration)] = [:]
        var items: [Int: JSONValue] = [1: ["id": 1, "name": "patch cable"], 2: ["id": 2, "name": "jack"]]
        var nextItem = 3
        var nextTransaction = 1
    }

    /// The path of the app scope.
    public let path: String
    private let users: [String: String]
    private let sessionTimeout: Duration
    private let developerMode: Bool
    private let clock: AnyMonotonicClock
    private let state = Mutex(State())

    /// Creates a server.
    /// - Parameters:
    ///   - path: path of the app scope; default `/akula/myServerApp`.
    ///   - users: passwords by user name; default `ann` with the password `open sesame`.
    ///   - sessionTimeout: sliding session timeout, capped at 100 years; default 30 minutes.
    ///   - developerMode: whether errors have the four developer mode fields; default false.
    ///   - clock: measures session timeouts.
    public init(
        path: String = "/akula/myServerApp", users: [String: String] = ["ann": "open sesame"],
        sessionTimeout: Duration = .seconds(1800), developerMode: Bool = false,
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.path = path
        self.users = users
        self.sessionTimeout = min(sessionTimeout, .century)
        self.developerMode = developerMode
        self.clock = AnyMonotonicClock(clock)
    }

    /// Answers one request.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        do {
            return try await route(request)
        } catch let failure as AkulaFailure {
            return request.response(failure.status, json: body(of: failure))
        }
    }

    private func route(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fullPath = request.url.path()
        let tail = fullPath.dropFirst(path.count)
        guard fullPath.hasPrefix(path), tail.first == "/" || path.last == "/" else { throw AkulaFailure.notFound }
        let segments = tail.split(separator: "/").map(String.init)
        // Login ignores the session header, which may hold an expired session.
        if segments == ["auth", "login"] { return request.response(json: try await login(request)) }
        let user = try authenticatedUser(of: request)
        switch segments {
        case ["auth", "logout"]:
            try request.require(.post)
            state.withLock { $0.sessions[request.fields[sessionHeader] ?? ""] = nil }
            return request.response(.noContent)
        case ["data", "jsonData"]:
            try request.require(.get)
            return request.response(json: echo(request, user: user))
        case ["data", "text"]:
            try request.require(.get)
            return try request.response(latin1: "Grüße aus dem Schaltschrank")
        case ["data", "slow"]:
            try request.require(.get)
            try await Gate().wait()
            return request.response(.serviceUnavailable)
        default:
            guard segments.starts(with: ["data", "items"]), segments.count <= 3 else { throw AkulaFailure.notFound }
            guard segments.count == 3 else { return try await items(request, user: user) }
            return try await item(request, Int(segments[2]), user: user)
        }
    }

    /// Returns the user of the request's session and restarts its timeout; nil without a session header.
    private func authenticatedUser(of request: HTTPRequest) throws(AkulaFailure) -> String? {
        guard let token = request.fields[sessionHeader] else { return nil }
        let now = clock.now
        let user = state.withLock { state -> String? in
            guard let session = state.sessions[token], session.expiry > now else {
                state.sessions[token] = nil
                return nil
            }
            state.sessions[token]?.expiry = now + sessionTimeout
            return session.user
        }
        guard let user else { throw .unauthorized("The session is unknown or has expired") }
        return user
    }

    private func login(_ request: HTTPRequest) async throws -> JSONValue {
        try request.require(.post)
        let credentials = try await json(of: request)
        guard let name = credentials["principal"]?["user"]?.string,
            let password = credentials["secret"]?["password"]?.string, users[name] == password
        else { throw AkulaFailure.unauthorized("Bad credentials") }
        let token = UUID().uuidString.lowercased()
        let expiry = clock.now + sessionTimeout
        state.withLock { $0.sessions[token] = (name, expiry) }
        return [
            "token": .string(token), "timeout": .integer(sessionTimeout.milliseconds), "user": ["name": .string(name)],
        ]
    }

    private func echo(_ request: HTTPRequest, user: String?) -> JSONValue {
        let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        let query = Dictionary(items.map { ($0.name, JSONValue.string($0.value ?? "")) }) { _, last in last }
        let headers = request.fields.filter {
            $0.name.canonicalName.hasPrefix("x-") && $0.name.canonicalName != "x-ak-session-id"
        }
        let named = Dictionary(headers.map { ($0.name.canonicalName, JSONValue.string($0.value)) }) { _, last in last }
        return ["query": .object(query), "headers": .object(named), "user": user.map(JSONValue.string) ?? .null]
    }

    private func items(_ request: HTTPRequest, user: String?) async throws -> HTTPResponse {
        switch request.method {
        case .get:
            let items = state.withLock { $0.items }
            return request.response(json: .array(items.sorted { $0.key < $1.key }.map(\.value)))
        case .post:
            let item = try await writableItem(request, user: user)
            let created = state.withLock { state in
                defer { state.nextItem += 1 }
                return state.store(item, id: state.nextItem)
            }
            return request.response(.created, json: created)
        default: throw AkulaFailure.methodNotAllowed
        }
    }

    private func item(_ request: HTTPRequest, _ id: Int?, user: String?) async throws -> HTTPResponse {
        guard let id, let item = state.withLock({ $0.items[id] }) else { throw AkulaFailure.notFound }
        switch request.method {
        case .get: return request.response(json: item)
        case .put:
            let changed = try await writableItem(request, user: user)
            return try state.withLock { state in
                // Another request may have deleted it meanwhile.
                guard state.items.keys.contains(id) else { throw AkulaFailure.notFound }
                return request.response(json: state.store(changed, id: id))
            }
        case .delete:
            guard user != nil else { throw AkulaFailure.unauthorized("Log in first") }
            state.withLock { $0.items[id] = nil }
            return request.response(.noContent)
        default: throw AkulaFailure.methodNotAllowed
        }
    }

    private func writableItem(_ request: HTTPRequest, user: String?) async throws -> [String: JSONValue] {
        guard user != nil else { throw AkulaFailure.unauthorized("Log in first") }
        guard let members = try await json(of: request).object else { throw AkulaFailure.badRequest }
        return members
    }

    private func json(of request: HTTPRequest) async throws -> JSONValue {
        guard let value = try? JSONValue(parsing: try await request.body.collect()) else {
            throw AkulaFailure.badRequest
        }
        return value
    }

    private func body(of failure: AkulaFailure) -> JSONValue {
        let transaction = state.withLock { state in
            defer { state.nextTransaction += 1 }
            return state.nextTransaction
        }
        var members: [String: JSONValue] = [
            "transaction": .string("t\(transaction)"), "code": .integer(Int64(failure.status.code)),
            "description": .string(failure.text),
        ]
        if developerMode {
            members["information"] = "Raised by the emulated server"
            members["cause"] = "AkulaFailure"
            members["msg"] = .string(failure.text)
            members["stacktrace"] = "AkulaService.respond"
        }
        return .object(members)
    }
}

private let sessionHeader = "X-Ak-Session-Id"

/// An error response: status and description.
private struct AkulaFailure: Error {
    let status: HTTPStatus
    let text: String

    static let notFound = AkulaFailure(status: .notFound, text: "No such endpoint")
    static let methodNotAllowed = AkulaFailure(status: .methodNotAllowed, text: "Method not allowed")
    static let badRequest = AkulaFailure(status: .badRequest, text: "The body is not a JSON object")
    static func unauthorized(_ text: String) -> AkulaFailure { AkulaFailure(status: .unauthorized, text: text) }
}

extension AkulaService.State {
    fileprivate mutating func store(_ members: [String: JSONValue], id: Int) -> JSONValue {
        let item = JSONValue.object(members.merging(["id": .integer(Int64(id))]) { _, id in id })
        items[id] = item
        return item
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

extension HTTPRequest {
    fileprivate func require(_ method: HTTPMethod) throws(AkulaFailure) {
        guard self.method == method else { throw .methodNotAllowed }
    }

    fileprivate func response(latin1 text: String) throws -> HTTPResponse {
        let bytes = Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        return HTTPResponse(
            status: .ok, fields: try HTTPFields(["Content-Type": "text/plain; charset=iso-8859-1"]), body: bytes,
            url: url)
    }
}
