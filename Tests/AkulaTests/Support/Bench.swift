import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Testing
import Transport

/// How a test's requests reach its service.
enum Route: CaseIterable, Sendable, CustomTestStringConvertible {
    case socket
    case memory

    var testDescription: String { self == .socket ? "over a socket" : "without a socket" }
}

/// The network, or a service in its place.
enum RoutedTransport: Transport {
    case network(URLSessionTransport)
    case service(FakeTransport)

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        switch self {
        case .network(let transport): try await transport.send(request, observer: observer)
        case .service(let transport): try await transport.send(request, observer: observer)
        }
    }
}

/// A request as its service saw it.
struct SeenRequest: Sendable {
    let method: HTTPMethod
    let url: URL
    let fields: HTTPFields
    let body: Data

    /// Path and query as they were sent.
    var target: String {
        url.path(percentEncoded: true) + (url.query(percentEncoded: true).map { "?\($0)" } ?? "")
    }
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// A service that remembers what it was asked.
final class RecordingService: HTTPService {
    private let base: any HTTPService
    private let log = Mutex<[SeenRequest]>([])

    init(_ base: any HTTPService) { self.base = base }

    var requests: [SeenRequest] { log.withLock(\.self) }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let body = try await request.body.collect()
        log.withLock {
            $0.append(SeenRequest(method: request.method, url: request.url, fields: request.fields, body: body))
        }
        return try await base.respond(to: request)
    }
}

/// A server, or a service in its place, with agents of its own whose delegates are called inline.
struct Bench: Sendable {
    static let path = "/akula/app"

    /// `http://`, host and port.
    let origin: String
    let scope: AKAppScope
    let agent: ServerAgent<RoutedTransport>
    let plain: HTTPAgent<RoutedTransport>
    let service: RecordingService
    /// What was received byte by byte; nil without a socket.
    let server: LoopbackServer?

    var requests: [SeenRequest] { service.requests }
    var base: String { origin + Self.path }

    /// Another agent of the same scope, over the same route.
    func anotherAgent() -> ServerAgent<RoutedTransport> {
        let another = ServerAgent(transport: agent.transport, scope: scope)
        another.delivery = .inline
        return another
    }

    /// Does something with a service's bench and takes it down, also when that fails.
    static func run(
        _ route: Route = .socket, clock: some Clock<Duration> = ContinuousClock(), service base: any HTTPService,
        _ body: (Bench) async throws -> Void
    ) async throws {
        let service = RecordingService(base)
        switch route {
        case .memory:
            let transport = FakeTransport { request in
                do {
                    return try await service.respond(to: request)
                } catch let error as CancellationError {
                    throw error
                } catch {
                    return request.reply(.internalServerError)
                }
            }
            try await body(Bench(.service(transport), origin: "http://akula.test", clock, service, nil))
        case .socket:
            try await LoopbackServer(service: service).stopping { server in
                let origin = "http://127.0.0.1:\(server.port)"
                try await body(Bench(.network(.withoutDeadlines), origin: origin, clock, service, server))
            }
        }
    }

    /// The same for a service that is a closure.
    static func run(
        _ route: Route = .socket, _ body: (Bench) async throws -> Void,
        answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async throws {
        try await run(route, service: ClosureService(answer), body)
    }

    private init(
        _ transport: RoutedTransport, origin: String, _ clock: some Clock<Duration>, _ service: RecordingService,
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
