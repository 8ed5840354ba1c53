public import Foundation
public import HTTPMessages

/// A small HTTP/1.1 server on 127.0.0.1, for tests, examples and measurements.
///
/// ```swift
/// let server = try LoopbackServer { request in request.reply(text: "Hello") }
/// let response = try await transport.send(HTTPRequest(.get, server.url(of: "/hello")))
/// let received = try await server.requests(count: 1)
/// await server.stop()
/// ```
///
/// Each connection has a thread of its own, on which its requests are answered one after the other; a service may
/// block it. ``stop()`` cancels the tasks that answer. There is no TLS, no compression and no protection against
/// clients that mean harm: it listens for this machine only.
public final class LoopbackServer: Sendable {
    private let core: ServerCore

    /// The address to send requests to: `http://127.0.0.1:` and the port.
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

    /// Starts a server that answers with a service.
    /// - Parameter port: where to listen; 0 means any port that is free.
    /// - Throws: ``LoopbackError`` (`cannotListen`).
    public convenience init(
        port: Int = 0, limits: Limits = Limits(), service: some HTTPService
    ) throws(LoopbackError) {
        try self.init(port: port, limits: limits) { connection in
            await connection.serve { request in try await connection.answer(request, with: service) }
        }
    }

    /// Starts a server that answers with a closure.
    /// - Parameter port: where to listen; 0 means any port that is free.
    /// - Throws: ``LoopbackError`` (`cannotListen`).
    public convenience init(
        port: Int = 0, limits: Limits = Limits(),
        answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) throws(LoopbackError) {
        try self.init(port: port, limits: limits, service: ClosureService(answer))
    }

    /// Starts a server that does with each request what a plan says.
    /// - Parameter port: where to listen; 0 means any port that is free.
    /// - Throws: ``LoopbackError`` (`cannotListen`).
    public convenience init(
        port: Int = 0, limits: Limits = Limits(), plan: @escaping @Sendable (RecordedRequest) async -> FaultPlan
    ) throws(LoopbackError) {
        try self.init(port: port, limits: limits) { connection in
            await connection.serve { request in
                try await plan(request).perform(on: connection, for: request)
            }
        }
    }

    /// Starts a server that leaves every byte of each connection to a closure.
    /// - Parameter port: where to listen; 0 means any port that is free.
    /// - Throws: ``LoopbackError`` (`cannotListen`).
    public convenience init(
        port: Int = 0, limits: Limits = Limits(),
        connections: @escaping @Sendable (RawConnection) async throws -> Void
    ) throws(LoopbackError) {
        try self.init(port: port, limits: limits) { connection in try? await connections(connection) }
    }

    deinit { core.beginStopping() }

    /// The URL of a path on this server, with a query if you like.
    /// - Throws: `HTTPMessageError` (`invalidURL`).
    public func url(of path: String) throws(HTTPMessageError) -> URL { try HTTPRequest.url(of: core.origin + path) }

    /// The requests received so far, in order.
    public var requests: [RecordedRequest] { core.log.requests }

    /// How many requests were received so far, those past the limit of ``Limits/recordedRequests`` included.
    public var requestCount: Int { core.log.count }

    /// The requests received, as soon as there are so many.
    /// - Throws: `CancellationError` when the task is cancelled before that.
    @discardableResult
    public func requests(count: Int) async throws -> [RecordedRequest] { try await core.log.wait(for: count) }

    /// How many connections were made so far.
    public var connectionCount: Int { core.connectionCount }

    /// How many connections are open.
    public var openConnectionCount: Int { core.openConnectionCount }

    /// Returns as soon as exactly so many connections are open.
    /// - Throws: `CancellationError` when the task is cancelled before that.
    public func waitForOpenConnections(_ count: Int) async throws { try await core.waitForOpenConnections(count) }

    /// Stops listening, closes every connection, cancels the tasks that answer, and waits until all of that is done.
    ///
    /// A client that is still owed a response, or a part of it, sees a reset. It waits for services that block or do not
    /// heed cancellation, but not in a task that is cancelled itself.
    public func stop() async { await core.stop() }

    /// Starts a server, does something with it and stops it, also when that fails.
    /// - Throws: ``LoopbackError`` (`cannotListen`), and what `body` throws.
    public static func serving<Result>(
        _ service: some HTTPService, limits: Limits = Limits(), _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        try await LoopbackServer(limits: limits, service: service).stopping(after: body)
    }

    /// Does something with this server and stops it, also when that fails.
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
