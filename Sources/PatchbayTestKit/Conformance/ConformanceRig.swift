public import HTTPMessages
public import Transport

/// A transport at work against a service, for one case.
public struct ConformanceRig: Sendable {
    /// The transport.
    public let transport: any Transport
    /// The server, when there is a socket.
    public let server: LoopbackServer?
    /// The clock of the transport's deadlines, when the case asked for one that it can move.
    public let clock: ManualClock?
    let origins: [String]
    let arrivals: Watched<[HTTPRequest]>

    /// The requests that have arrived so far, in order.
    public var requests: [HTTPRequest] { arrivals.value }

    /// The requests, as soon as so many have arrived.
    /// - Throws: `CancellationError` when the task is cancelled before that.
    @discardableResult
    public func requests(count: Int) async throws -> [HTTPRequest] { try await arrivals.wait { $0.count >= count } }

    /// A request to the service.
    ///
    /// By default it has no deadline, so that a case fails on no machine for being slow. What hangs is ended by the
    /// limit of ``ConformanceCase/check(_:within:)``.
    /// - Parameters:
    ///   - path: path and query.
    ///   - origin: which of the service's origins, counted from 0.
    ///   - limit: the most bytes of the response's body.
    /// - Throws: `HTTPMessageError`.
    public func request(
        _ method: HTTPMethod = .get, _ path: String = "/", origin: Int = 0, fields: HTTPFields = HTTPFields(),
        body: HTTPBody = .empty, timeouts: Timeouts = Timeouts(response: nil, idle: nil), limit: Int = 64 << 20
    ) throws(HTTPMessageError) -> HTTPRequest {
        try HTTPRequest(
            method, origins[origin] + path, fields: fields, body: body,
            options: RequestOptions(timeouts: timeouts, maximumResponseBytes: limit))
    }

    /// Does something while time passes: by itself, or on ``clock`` where there is one.
    func passingTime<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        if let clock { try await clock.run(body) } else { try await body() }
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

    /// The transport as one that streams.
    /// - Throws: ``ConformanceFailure`` when it does not.
    public var streaming: any StreamingTransport {
        get throws(ConformanceFailure) {
            guard let transport = transport as? any StreamingTransport else {
                throw ConformanceFailure("it does not stream")
            }
            return transport
        }
    }

    /// Sends a request to the service, and gets the body while it comes.
    /// - Throws: what the transport throws, `HTTPMessageError`, and ``ConformanceFailure`` when it does not stream.
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
    /// Does something with a transport whose requests a service answers.
    /// - Parameters:
    ///   - faults: the fault of each request by its number, counted from 0; by default none. Needs ``Ability/faults``.
    ///   - movesClock: whether the transport's deadlines count on ``ConformanceRig/clock``. Needs ``Ability/clock``.
    ///   - origins: how many origins the service has, at least 1.
    /// - Throws: what `body` throws, and ``LoopbackError`` (`cannotListen`).
    public func serving(
        _ service: some HTTPService, faults: @escaping @Sendable (Int) -> Fault? = { _ in nil },
        movesClock: Bool = false, origins: Int = 1, body: (ConformanceRig) async throws -> Void
    ) async throws {
        let manual = movesClock ? ManualClock() : nil
        let clock: any Clock<Duration> = manual ?? ContinuousClock()
        switch maker {
        case .overSocket(let make):
            try await serving(make(clock), clock: manual, origins: origins, body) { request in
                [.answer(by: service, with: faults(request.number))]
            }
        case .inProcess(let make):
            let arrivals = Watched<[HTTPRequest]>([])
            let transport = make { request in
                let number = arrivals.update { requests in
                    requests.append(request)
                    return requests.count - 1
                }
                guard let fault = faults(number) else { return await service.answer(request) }
                return try await fault.answer(request, by: service, clock: clock)
            }
            let names = (0..<max(1, origins)).map { "http://service\($0).test" }
            try await body(
                ConformanceRig(transport: transport, server: nil, clock: manual, origins: names, arrivals: arrivals))
        }
    }

    /// Does something with a transport whose requests a closure answers.
    /// - Throws: what `body` throws, and ``LoopbackError`` (`cannotListen`).
    public func serving(
        _ answer: @escaping Answer, body: (ConformanceRig) async throws -> Void
    ) async throws {
        try await serving(ClosureService(answer), body: body)
    }

    /// Does something with a transport that talks to a server over a socket. Needs ``Ability/socket``.
    /// - Parameters:
    ///   - plan: what the server does with each request.
    ///   - movesClock: whether the transport's deadlines count on ``ConformanceRig/clock``. Needs ``Ability/clock``.
    /// - Throws: what `body` throws, ``LoopbackError`` (`cannotListen`), and ``ConformanceFailure`` without a socket.
    public func serving(
        plan: @escaping @Sendable (RecordedRequest) async -> FaultPlan, movesClock: Bool = false,
        body: (ConformanceRig) async throws -> Void
    ) async throws {
        guard case .overSocket(let make) = maker else { throw ConformanceFailure("there is no socket") }
        let clock = movesClock ? ManualClock() : nil
        try await serving(make(clock ?? ContinuousClock()), clock: clock, origins: 1, body, plan)
    }

    private func serving(
        _ transport: any Transport, clock: ManualClock?, origins: Int, _ body: (ConformanceRig) async throws -> Void,
        _ plan: @escaping @Sendable (RecordedRequest) async -> FaultPlan
    ) async throws {
        let arrivals = Watched<[HTTPRequest]>([])
        let servers = try (0..<max(1, origins)).map { index in
            try LoopbackServer(plan: { received in
                let origin = "http://origin\(index).test"
                if let request = try? received.request(origin: origin) { arrivals.update { $0.append(request) } }
                return await plan(received)
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
