import Coordination
import Foundation
public import HTTPMessages
public import PatchbayTestKit
import Synchronization
import Transport

/// An emulated MobileFirst server: registration, security checks, OAuth 2.0, and adapters.
///
/// All paths are below `{path}/api`:
///
/// | endpoint | behavior |
/// |---|---|
/// | `POST /registration/v1/self` | registers a client: 201, its id is the last segment of `Location` |
/// | `PUT`, `GET /registration/v1/self/{id}` | changes and returns the registration |
/// | `POST /preauth/v1/preauthorize` | security checks: 200 with successes, 401 with challenges, 403 with failures |
/// | `POST /preauth/v1/logout`, `/preauth/v1/heartbeat` | ends a check's success; checks the client's assertion |
/// | `GET /az/v1/authorization` | 302 with a code, or with an OAuth error |
/// | `POST /az/v1/token` | grants `authorization_code`, `refresh_token`, `client_credentials` |
/// | `POST /az/v1/introspection` | state of a token; requires the scope `authorization.introspect` |
/// | `GET /reach` | 200 |
/// | `/adapters/…` | resources: see ``Configuration/adapters`` |
/// | other paths | 404 with a JSON error; 405 for another method |
///
/// A client that is not registered gets 400 with the `errorCode` `INVALID_CLIENT_ID`. A resource without a sufficient
/// token gets 401 or 403 with a `Bearer` challenge.
///
/// Public sources do not fix everything. This project's choices: an unsatisfied check makes the authorization endpoint
/// redirect with `error=access_denied`; refresh tokens follow RFC 6749 with a client assertion, and each is valid once;
/// a logout revokes the tokens that depend on the check; the value of `MFP-Conflict` is `true`. Signatures are checked
/// as ``Configuration/signatures`` says: by default for their form only, with `rs256` mathematically. Not emulated:
/// gzip of large responses, app authenticity, files of direct updates.
public final class MobileFirstService: HTTPService {
    /// The settings.
    public let configuration: Configuration
    private let clock: AnyMonotonicClock
    let checks: [String: SecurityCheck]
    let state = Mutex(State())

    /// Creates a server without clients.
    /// - Parameters:
    ///   - configuration: the settings; of checks with equal names the last is used.
    ///   - clock: measures lifetimes, and the server's time of day from ``Configuration/startTime`` on.
    public init(_ configuration: Configuration = Configuration(), clock: some Clock<Duration> = ContinuousClock()) {
        self.configuration = configuration
        self.clock = AnyMonotonicClock(clock)
        checks = Dictionary(configuration.checks.map { ($0.name, $0) }) { _, last in last }
    }

    /// Answers one request.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        do {
            return try await route(request)
        } catch let failure as Failure {
            return try failure.response(to: request)
        }
    }

    /// The time since the service's creation.
    var now: Duration { clock.now }

    /// The server's time of day in milliseconds since 1970.
    var milliseconds: Int64 {
        Int64(configuration.startTime.timeIntervalSince1970 * 1000) + clock.now.wholeMilliseconds
    }

    private func route(_ request: HTTPRequest) async throws -> HTTPResponse {
        let segments = try self.segments(of: request)
        if segments == ["gateway", "login"], let gateway = configuration.gateway {
            return try await logIn(request, to: gateway)
        }
        guard segments.first == "api", let endpoint = Self.endpoint(of: segments.dropFirst()) else {
            throw Failure.notFound
        }
        if let page = try gatewayPage(for: request, to: endpoint) { return page }
        let fault = state.withLock { $0.receive(endpoint) }
        guard request.fields[.authorization] != "" else {
            throw Failure.invalidRequest("The field Authorization is empty; omit it")
        }
        if let fault { try await perform(fault) }
        let tail = segments.dropFirst(1 + (endpoint == .adapter ? 1 : 3))
        switch endpoint {
        case .registration: return try await register(request, id: tail.first)
        case .preauthorization: return try await preauthorize(request)
        case .logout: return try await logOut(request)
        case .heartbeat: return try await keepAlive(request)
        case .authorization: return try authorize(request)
        case .token: return try await token(request)
        case .introspection: return try await introspect(request)
        case .reach:
            try request.require(.get)
            return request.response()
        case .adapter: return try await callAdapter(request, Array(tail))
        }
    }

    /// The raw path segments below the server's path. A slash at the end is ignored, an empty segment is not found.
    private func segments(of request: HTTPRequest) throws(Failure) -> [String] {
        let root = configuration.path.hasSuffix("/") ? String(configuration.path.dropLast()) : configuration.path
        let path = request.url.path()
        guard path.hasPrefix(root + "/") else { throw .notFound }
        var segments = path.dropFirst(root.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        if segments.last == "" { segments.removeLast() }
        guard !segments.contains("") else { throw .notFound }
        return segments.map(String.init)
    }

    private static func endpoint(of segments: ArraySlice<String>) -> Endpoint? {
        switch segments.prefix(3).joined(separator: "/") {
        case "registration/v1/self" where segments.count <= 4: .registration
        case "preauth/v1/preauthorize" where segments.count == 3: .preauthorization
        case "preauth/v1/logout" where segments.count == 3: .logout
        case "preauth/v1/heartbeat" where segments.count == 3: .heartbeat
        case "az/v1/authorization" where segments.count == 3: .authorization
        case "az/v1/token" where segments.count == 3: .token
        case "az/v1/introspection" where segments.count == 3: .introspection
        case "reach": .reach
        default: segments.first == "adapters" ? .adapter : nil
        }
    }

    private func perform(_ fault: EndpointFault) async throws {
        switch fault {
        case .status(let status):
            throw Failure(status: status, code: "UNEXPECTED_ERROR", text: "Injected fault: status \(status.code)")
        case .stall: try await Gate().wait()
        case .conflict: throw Failure.conflict
        case .invalidClientID: throw Failure.invalidClientID
        }
    }
}
