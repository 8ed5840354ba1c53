public import HTTPMessages
public import Transport

/// A transport and the service it talks to, for one case.
public struct ConformanceRig: Sendable {
    /// The transport under test.
    public let transport: any Transport
    /// The server, when there is a socket.
    public let server: LoopbackServer?
    /// The clock of the transport's deadlines, when the case asked for a manual one.
    public let clock: ManualClock?
    let origins: [String]
    let arrivals: Watched<[HTTPRequest]>

    /// The requests received so far, in order.
    public var requests: [HTTPRequest] { arrivals.value }

    /// Suspends until `count` requests were received, and returns them.
    /// - Throws: `CancellationError` when the task is cancelled first.
    @discardableResult
    public func requests(count: Int) async throws -> [HTTPRequest] { try await arrivals.wait { $0.count >= count } }

    /// Creates a request to the service.
    ///
    /// By default it has no timeouts, so a slow machine fails no case. The limit of
    /// ``ConformanceRequirement/check(_:within:)`` ends a hanging request.
    /// - Parameters:
    ///   - path: path and query.
    ///   - origin: the number of the service's origin, from 0.
    ///   - limit: maximum bytes of the response body.
    /// - Throws: `HTTPMessageError`.
    public func request(
        _ method: HTTPMethod = .get, _ path: String = "/", origin: Int = 0, fields: HTTPFields = HTTPFields(),
        body: HTTPBody = .empty, timeouts: Timeouts = Timeouts(response: nil, idle: nil), limit: Int = 64 << 20
    ) throws(HTTPMessageError) -> HTTPRequest {
        try HTTPRequest(
            method, origins[origin] + path, fields: fields, body: body,
            options: RequestOptions(timeouts: timeouts, maximumResponseBytes: limit))
    }

    /// Runs `body` while time passes, on ``clock`` if there is one.
    func withTimePassing<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        if let clock { try await clock.autoAdvancing(body) } else { try await body() }
    }

    /// Sends a request to the service.
    /// - Throws: what the transport throws, and `HTTPMessageError`.
    public func send(
        _ method: HTTPMethod = .get, _ path: String = "/", fields: HTTPFields = HTTPFields(), body: HTTPBody = .empty,
        timeouts: Timeouts = Timeouts(response: nil, idle: nil), limit: Int = 64 << 20,
        observer: (any TransferObserver)? = nil
    ) async throws -> HTTPResponse {
        try await transport.send(
            request(method, path, fields: fields, body: body, timeouts: timeouts, limit: limit), observer: observer)
    }

    /// The transport as a `StreamingTransport`.
    /// - Throws: ``ConformanceFailure`` when it is not one.
    public var streaming: any StreamingTransport {
        get throws(ConformanceFailure) {
            guard let transport = transport as? any StreamingTransport else {
                throw ConformanceFailure("the transport is not a StreamingTransport")
            }
            return transport
        }
    }

    /// Sends a request to the service and streams the response body.
    /// - Throws: what the transport throws, `HTTPMessageError`, and ``ConformanceFailure`` without streaming.
    public func stream(
        _ method: HTTPMethod = .get, _ path: String = "/", fields: HTTPFields = HTTPFields(), body: HTTPBody = .empty,
        timeouts: Timeouts = Timeouts(response: nil, idle: nil), limit: Int = 64 << 20,
        observer: (any TransferObserver)? = nil
    ) async throws -> HTTPResponseStream {
        try await streaming.stream(
            request(method, path, fields: fields, body: body, timeouts: timeouts, limit: limit), observer: observer)
    }
}

extension ConformanceSubject {
    /// Runs `body` with a transport to a service.
    /// - Parameters:
    ///   - faults: the fault of each request by its number, from 0; default none. Needs ``Capability/faults``.
    ///   - movesClock: true for deadlines on ``ConformanceRig/clock``; default false. Needs ``Capability/clock``.
    ///   - origins: the number of the service's origins, at least 1.
    /// - Throws: what `body` throws, and ``LoopbackError`` (`cannotListen`).
    public func serving(
        _ service: some HTTPService, faults: @escaping @Sendable (Int) -> Fault? = { _ in nil },
        movesClock: Bool = false, origins: Int = 1, body: (ConformanceRig) async throws -> Void
    ) async throws {
        let manual = movesClock ? ManualClock() : nil
        let clock: any Clock<Duration> = manual ?? ContinuousClock()
        switch factory {
        case .overSocket(let make):
            try await serving(make(clock), clock: manual, origins: origins, body) { request in
                [.respond(with: service, fault: faults(request.number))]
            }
        case .inProcess(let make):
            let arrivals = Watched<[HTTPRequest]>([])
            let transport = make { request in
                let number = arrivals.update { requests in
                    requests.append(request)
                    return requests.count - 1
                }
                guard let fault = faults(number) else { return await service.framedResponse(to: request) }
                return try await fault.respond(to: request, with: service, clock: clock)
            }
            let names = (0..<max(1, origins)).map { "http://service\($0).test" }
            try await body(
                ConformanceRig(transport: transport, server: nil, clock: manual, origins: names, arrivals: arrivals))
        }
    }

    /// Runs `body` with a transport to a closure.
    /// - Throws: what `body` throws, and ``LoopbackError`` (`cannotListen`).
    public func serving(
        _ handler: @escaping Handler, body: (ConformanceRig) async throws -> Void
    ) async throws {
        try await serving(ClosureService(handler), body: body)
    }

    /// Runs `body` with a transport to a scripted server. Needs ``Capability/socket``.
    /// - Parameters:
    ///   - script: the server's script for each request.
    ///   - movesClock: true for deadlines on ``ConformanceRig/clock``; default false. Needs ``Capability/clock``.
    /// - Throws: what `body` throws, ``LoopbackError`` (`cannotListen`), and ``ConformanceFailure`` without a socket.
    public func serving(
        script: @escaping @Sendable (RecordedRequest) async -> ServerScript, movesClock: Bool = false,
        body: (ConformanceRig) async throws -> Void
    ) async throws {
        guard case .overSocket(let make) = factory else {
            throw ConformanceFailure("the transport does not use a socket")
        }
        let clock = movesClock ? ManualClock() : nil
        try await serving(make(clock ?? ContinuousClock()), clock: clock, origins: 1, body, script)
    }

    private func serving(
        _ transport: any Transport, clock: ManualClock?, origins: Int, _ body: (ConformanceRig) async throws -> Void,
        _ script: @escaping @Sendable (RecordedRequest) async -> ServerScript
    ) async throws {
        let arrivals = Watched<[HTTPRequest]>([])
        let servers = try (0..<max(1, origins)).map { index in
            try LoopbackServer(script: { received in
                let origin = "http://origin\(index).test"
                if let request = try? received.request(origin: origin) { arrivals.update { $0.append(request) } }
                return await script(received)
            })
        }
        let rig = ConformanceRig(
            transport: transport, server: servers[0], clock: clock,
            origins: servers.map { "http://127.0.0.1:\($0.port)" }, arrivals: arrivals)
        let result: Result<Void, any Error>
        do { result = .success(try await body(rig)) } catch { result = .failure(error) }
        for server in servers { await server.stop() }
        try result.get()
    }
}
