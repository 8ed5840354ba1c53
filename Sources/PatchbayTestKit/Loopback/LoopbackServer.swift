public import Foundation
public import HTTPMessages

/// A small HTTP/1.1 server on 127.0.0.1, for tests, examples and benchmarks.
///
/// ```swift
/// let server = try LoopbackServer { request in request.response(text: "Hello") }
/// let response = try await transport.send(HTTPRequest(.get, server.url(of: "/hello")))
/// let received = try await server.requests(count: 1)
/// await server.stop()
/// ```
///
/// Each connection has its own thread, which answers its requests in sequence; a service may block it. ``stop()``
/// cancels the tasks that run services. There is no TLS, no compression and no protection against malicious clients:
/// the server listens on the loopback interface only.
public final class LoopbackServer: Sendable {
    private let core: ServerCore

    /// The base URL: `http://127.0.0.1:` and the port.
    public let url: URL
    /// The port it listens on.
    public var port: Int { core.listener.port }

    private init(port: Int, limits: Limits, handle: @escaping ServerCore.Handler) throws(LoopbackError) {
        let core = ServerCore(listener: try ListeningSocket(port: port), limits: limits, handle: handle)
        guard let url = URL(string: core.origin) else {
            throw LoopbackError(.cannotListen, "The server's address is not a URL.")
        }
        self.core = core
        self.url = url
        core.start()
    }

    // Any: a generic parameter would match a trailing closure, and the compiler would then hide what is wrong in it.
    /// Starts a server for a service.
    /// - Parameter port: the port to listen on; 0 picks a free one.
    /// - Throws: ``LoopbackError`` (`cannotListen`).
    public convenience init(
        port: Int = 0, limits: Limits = Limits(), service: any HTTPService
    ) throws(LoopbackError) {
        try self.init(port: port, limits: limits) { connection in
            await connection.serve { request in try await connection.respond(to: request, with: service) }
        }
    }

    /// Starts a server for a closure.
    /// - Parameter port: the port to listen on; 0 picks a free one.
    /// - Throws: ``LoopbackError`` (`cannotListen`).
    public convenience init(
        port: Int = 0, limits: Limits = Limits(),
        handler: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) throws(LoopbackError) {
        try self.init(port: port, limits: limits, service: ClosureService(handler))
    }

    /// Starts a server that runs a script for each request.
    /// - Parameter port: the port to listen on; 0 picks a free one.
    /// - Throws: ``LoopbackError`` (`cannotListen`).
    public convenience init(
        port: Int = 0, limits: Limits = Limits(), script: @escaping @Sendable (RecordedRequest) async -> ServerScript
    ) throws(LoopbackError) {
        try self.init(port: port, limits: limits) { connection in
            await connection.serve { request in
                try await script(request).perform(on: connection, for: request)
            }
        }
    }

    /// Starts a server that passes raw connections to a closure.
    /// - Parameter port: the port to listen on; 0 picks a free one.
    /// - Throws: ``LoopbackError`` (`cannotListen`).
    public convenience init(
        port: Int = 0, limits: Limits = Limits(),
        connections: @escaping @Sendable (RawConnection) async throws -> Void
    ) throws(LoopbackError) {
        try self.init(port: port, limits: limits) { connection in try? await connections(connection) }
    }

    deinit { core.beginStopping() }

    /// The URL of a path on this server; the path may have a query.
    /// - Throws: `HTTPMessageError` (`invalidURL`).
    public func url(of path: String) throws(HTTPMessageError) -> URL { try URL(httpString: core.origin + path) }

    /// The requests received so far, in order.
    public var requests: [RecordedRequest] { core.log.requests }

    /// The number of requests received so far, including those beyond ``Limits/recordedRequests``.
    public var requestCount: Int { core.log.count }

    /// Suspends until `count` requests were received, and returns them.
    /// - Throws: `CancellationError` when the task is cancelled first; ``LoopbackError`` (`connectionLost`) when the
    ///   server has stopped with fewer.
    @discardableResult
    public func requests(count: Int) async throws -> [RecordedRequest] { try await core.log.wait(for: count) }

    /// The number of connections accepted so far.
    public var connectionCount: Int { core.connectionCount }

    /// The number of open connections.
    public var openConnectionCount: Int { core.openConnectionCount }

    /// Suspends until exactly `count` connections are open.
    /// - Throws: `CancellationError` when the task is cancelled first; ``LoopbackError`` (`connectionLost`) when the
    ///   server has stopped, unless `count` is 0.
    public func waitForOpenConnections(_ count: Int) async throws { try await core.waitForOpenConnections(count) }

    /// Stops listening, closes all connections, cancels the tasks that run services, and waits for their end.
    ///
    /// A client whose response is incomplete sees a reset. The wait includes services that block or ignore
    /// cancellation, but ends early in a cancelled task.
    public func stop() async { await core.stop() }

    /// Starts a server, runs `body` and stops the server, also when `body` throws.
    /// - Throws: ``LoopbackError`` (`cannotListen`), and what `body` throws.
    public static func serving<Result>(
        _ service: some HTTPService, limits: Limits = Limits(), _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        try await LoopbackServer(limits: limits, service: service).stopping(after: body)
    }

    /// Runs `body` and stops this server, also when `body` throws.
    /// - Throws: what `body` throws.
    public func stopping<Result>(after body: (LoopbackServer) async throws -> Result) async rethrows -> Result {
        do {
            let result = try await body(self)
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }
}
