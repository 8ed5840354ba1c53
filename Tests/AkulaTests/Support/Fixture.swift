import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport

/// Whether requests reach the service over a socket or directly.
enum Route: CaseIterable, Sendable, CustomTestStringConvertible {
    case socket
    case memory

    var testDescription: String { self == .socket ? "over a socket" : "without a socket" }
}

/// A request received by the service.
struct ServedRequest: Sendable {
    let method: HTTPMethod
    let url: URL
    let fields: HTTPFields
    let body: Data

    /// Percent-encoded path and query.
    var target: String {
        url.path(percentEncoded: true) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
    }
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// A service that records its requests.
final class RecordingService: HTTPService {
    private let base: any HTTPService
    private let log = Mutex<[ServedRequest]>([])

    init(_ base: any HTTPService) { self.base = base }

    var requests: [ServedRequest] { log.withLock(\.self) }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let body = try await request.body.collect()
        log.withLock {
            $0.append(ServedRequest(method: request.method, url: request.url, fields: request.fields, body: body))
        }
        return try await base.respond(to: request)
    }
}

/// A service, served over a socket or in memory, and agents with inline delivery.
struct Fixture: Sendable {
    static let path = "/akula/app"

    /// `http://`, host and port.
    let origin: String
    let scope: AKAppScope
    let agent: AKServerAgent
    let plain: AKHTTPAgent
    let service: RecordingService
    /// The server; nil without a socket.
    let server: LoopbackServer?

    var requests: [ServedRequest] { service.requests }
    var base: String { origin + Self.path }

    /// Another agent with the same scope and transport.
    func anotherAgent() -> AKServerAgent {
        let another = ServerAgent(transport: agent.transport, scope: scope)
        another.delivery = .inline
        return another
    }

    /// Runs `body` with a fixture for a service, and stops its server.
    static func run(
        _ route: Route = .socket, clock: some Clock<Duration> = ContinuousClock(), service base: any HTTPService,
        _ body: (Fixture) async throws -> Void
    ) async throws {
        let service = RecordingService(base)
        switch route {
        case .memory:
            let transport = AnyTransport(
                FakeTransport { request in
                    do {
                        return try await service.respond(to: request)
                    } catch let error as CancellationError {
                        throw error
                    } catch {
                        return request.response(.internalServerError)
                    }
                })
            try await body(Fixture(transport, origin: "http://akula.test", clock, service, nil))
        case .socket:
            try await LoopbackServer(service: service).stopping { server in
                let origin = "http://127.0.0.1:\(server.port)"
                try await body(Fixture(TestTransport.withoutDeadlines, origin: origin, clock, service, server))
            }
        }
    }

    /// Runs `body` with a fixture for a closure service.
    static func run(
        _ route: Route = .socket, _ body: (Fixture) async throws -> Void,
        respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async throws {
        try await run(route, service: ClosureService(respond), body)
    }

    private init(
        _ transport: AnyTransport, origin: String, _ clock: some Clock<Duration>, _ service: RecordingService,
        _ server: LoopbackServer?
    ) throws {
        self.origin = origin
        self.service = service
        self.server = server
        scope = try AKAppScope(origin + Self.path, clock: clock)
        agent = ServerAgent(transport: transport, scope: scope)
        plain = HTTPAgent(transport: transport)
        agent.delivery = .inline
        plain.delivery = .inline
    }
}

/// Calls blocking methods from an async test, which the compiler refuses directly.
func blocking<Value>(_ body: () throws -> Value) rethrows -> Value { try body() }

/// A transport for calls that must fail before they send; sending records an issue.
let unreachableTransport = FakeTransport { request in
    Issue.record("\(request) was sent.")
    throw TransportError(.unknown, "Nothing must be sent.")
}
