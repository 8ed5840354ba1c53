import Coordination
import Foundation
import HTTPMessages
import Transport

/// One call through a cache: asks the state machine, and does what it says with storage and transport.
///
/// It is not generic over the transport, so that the compiler makes one fast version for each kind of response.
struct CacheCall: Sendable {
    typealias Send<Response> = (HTTPRequest, (any TransferObserver)?) async throws -> Response
    typealias BackgroundSend = @Sendable (HTTPRequest) async throws -> HTTPResponse

    let cache: HTTPCache
    let request: HTTPRequest
    let observer: (any TransferObserver)?
    /// Sends revalidations that no call waits for.
    let background: BackgroundSend

    init(
        _ cache: HTTPCache, _ request: HTTPRequest, _ observer: (any TransferObserver)?,
        background: @escaping BackgroundSend
    ) {
        self.cache = cache
        self.request = request
        self.observer = observer
        self.background = background
    }

    /// Runs the call.
    func run<Response: CacheableResponse>(_ send: Send<Response>) async throws -> Response {
        // What a transport checks, for a response from the cache too.
        try request.fields.validate()
        try request.options.timeouts.validate()
        guard !Task.isCancelled else { throw TransportError.cancelled(request) }
        if request.needsOwnResponse || request.options.hasOwnDestination { return try await bypass(send) }
        guard request.method == .get || request.method == .head || request.method == .query else {
            // Not by the directive, which other methods do not have.
            if request.options.cachePolicy == .onlyIfCached { return try await unavailable() }
            return try await pass(send)
        }
        let lookup: CacheLookup
        do {
            if !cache.storage.isOpen { try await open() }
            guard let found = try cache.lookup(for: request) else { return try await bypass(send) }
            lookup = found
        } catch is CancellationError {
            throw TransportError.cancelled(request)
        } catch {
            await report([.layer(cache.failed(error))])
            return try await bypass(send)
        }
        var (exchange, finding) = (CacheExchange(request, rules: cache.rules), CacheFinding())
        let start = begin(&exchange, lookup, &finding, canComplete: !Response.isStreamed)
        // Almost all hits: there is nothing to wait for.
        if case .use(let stored, revalidates: false) = start,
            let response: Response = try? made(stored, exchange.status)
        {
            return response
        }
        return try await run(exchange, lookup, finding, start, send)
    }

    /// Starts the state machine with what the storage has.
    /// - Returns: its first action; nil if the storage fails, or has events to report.
    private func begin(
        _ exchange: inout CacheExchange, _ lookup: CacheLookup, _ finding: inout CacheFinding, canComplete: Bool
    ) -> CacheExchange.Start? {
        guard observer == nil, !cache.unremoved.contains(lookup.url) else { return nil }
        let now = cache.now()
        do { finding = try cache.storage.find(lookup, at: now) } catch { return nil }
        return exchange.start(
            finding.entry?.response, isKnown: finding.isKnown, canComplete: canComplete, now: now)
    }

    /// Opens the storage, for which a call waits no longer than for a busy store after a 304.
    func open() async throws {
        let limit = Duration.seconds(1)
        try await cache.storage.open(atMost: min(request.options.timeouts.total ?? limit, limit))
    }

    private func run<Response: CacheableResponse>(
        _ exchange: CacheExchange, _ lookup: CacheLookup, _ finding: CacheFinding, _ start: CacheExchange.Start?,
        _ send: Send<Response>
    ) async throws -> Response {
        var (exchange, finding, first) = (exchange, finding, start)
        var isAlone = Response.isStreamed || request.options.timeouts.total != nil
        var isDamaged = false
        // That of the first look-up, also after a wait: nothing is stored after a removal since then.
        var ticket: Int64?
        while true {
            let start: CacheExchange.Start
            if let known = first.take() {
                start = known
            } else {
                finding = isDamaged ? CacheFinding(isKnown: true) : await find(lookup)
                start = exchange.start(
                    finding.entry?.response, isKnown: finding.isKnown, canComplete: !Response.isStreamed,
                    now: cache.now())
            }
            switch start {
            case .use(let stored, let revalidates):
                if revalidates { revalidate(stored, lookup) }
                if let response: Response = try await deliver(stored, exchange.status) { return response }
                // Its body is damaged, and it may be there again if the store cannot remove it.
                isDamaged = true
                // A removal since the look-up may have deleted the file; its number is greater than this version.
                ticket = ticket ?? finding.entry?.response.version
                await cache.removeOutdated(finding.entry)
                exchange.restart()
            case .unavailable:
                return try await unavailable()
            case .send(let outgoing):
                ticket = ticket ?? finding.ticket ?? (try? cache.storage.ticket(for: lookup))
                finding.ticket = ticket
                guard !isAlone, ticket != nil, exchange.acceptsSharedResponse else {
                    return try await exchange.send(outgoing, lookup, finding, self, nil, send)
                }
                switch cache.flights.join(lookup, outgoing) {
                case .leader(let flight):
                    return try await exchange.send(outgoing, lookup, finding, self, flight, send)
                case .follower(let flight):
                    if let response: Response = try await follow(flight, &exchange, lookup, outgoing, &isAlone) {
                        return response
                    }
                }
            }
        }
    }

    /// Waits for the request of another call.
    /// - Returns: the response; nil if this call has to look again.
    private func follow<Response: CacheableResponse>(
        _ flight: CacheFlights.Flight, _ exchange: inout CacheExchange, _ lookup: CacheLookup, _ outgoing: HTTPRequest,
        _ isAlone: inout Bool
    ) async throws -> Response? {
        let outcome: CacheFlights.Outcome
        do { outcome = try await flight.wait() } catch { throw TransportError.cancelled(request) }
        switch outcome {
        case .abandoned:
            exchange.restart()
            return nil
        case .failed(let error) where flight.isEqual(to: outgoing):
            exchange.markCollapsed()
            guard let stale = exchange.failed(error, now: cache.now()),
                let response: Response = try await deliver(stale, exchange.status)
            else { throw error }
            cache.count { $0.usedInPlaceOfErrors += 1 }
            return response
        case .unshared, .failed:
            isAlone = true
            exchange.restart()
            return nil
        case .stored:
            // The response may be another variant: then this call sends its own request.
            isAlone = true
            var status = exchange.status
            var again = CacheExchange(request, rules: cache.rules)
            let finding = await find(lookup)
            guard
                case .use(let stored, _) = again.start(
                    finding.entry?.response, isKnown: finding.isKnown, now: cache.now())
            else {
                exchange.restart()
                return nil
            }
            (status.isCollapsed, status.timeToLive) = (true, again.status.timeToLive)
            exchange.restart()
            return try await deliver(stored, status)
        }
    }

    func find(_ lookup: CacheLookup) async -> CacheFinding {
        let failure: any Error
        do {
            if cache.unremoved.contains(lookup.url) {
                let failure = observer == nil ? nil : cache.unremoved.takeFailure()
                cache.unremoved.retryInBackground(lookup.url, in: cache)
                if let failure { await report([.layer(failure)]) }
                return CacheFinding()
            }
            let finding = try cache.storage.find(lookup, at: cache.now())
            guard observer != nil, let error = cache.storage.takeFailure() else { return finding }
            await report([.layer(CacheEvent(error))])
            return finding
        } catch {
            failure = error
        }
        await report([.layer(cache.failed(failure))])
        return CacheFinding()
    }

    // MARK: Responses

    /// Adds the status to the response of a request that was sent, and reports it.
    func finish<Response: CacheableResponse>(_ response: Response, _ status: CacheStatus) async -> Response {
        var response = response
        response.head.cacheStatus = status
        cache.count(status)
        // While a stream is read, only its transport may send events.
        if !Response.isStreamed { await report([.layer(CacheEvent.status(status))]) }
        return response
    }

    func unavailable<Response: CacheableResponse>() async throws -> Response {
        var head = HTTPResponseHead(status: .gatewayTimeout, url: request.url)
        head.method = request.method
        head.isLocal = true
        var status = CacheStatus()
        status.detail = "nothing usable is stored"
        head.cacheStatus = status
        await report([.layer(CacheEvent.status(status)), .head(head)])
        return try Response.stored(head, nil, to: request, observer: nil)
    }

    /// The request with what an earlier request of the call has left of the total timeout.
    func remaining(since started: Duration, after head: HTTPResponseHead) throws(TransportError) -> HTTPRequest {
        var request = request
        try request.reduceTotal(
            by: cache.monotonic.now - started, of: "the request, after one about the stored response,", after: head)
        return request
    }

    // MARK: From the cache

    /// The response with a stored one.
    /// - Returns: nil if its bytes cannot be read.
    func deliver<Response: CacheableResponse>(
        _ stored: StoredResponse, _ status: CacheStatus
    ) async throws -> Response? {
        let response: Response
        do {
            response = try made(stored, status)
        } catch let error as TransportError {
            throw error
        } catch {
            await report([.layer(cache.failed(error))])
            return nil
        }
        if observer != nil {
            var events: [TransferEvent] = [.layer(CacheEvent.status(status)), .head(response.head)]
            if let count = (response as? HTTPResponse)?.body.count, count > 0 {
                events.append(.receivedBytes(Int64(count), total: Int64(count)))
            }
            await report(events)
        }
        return response
    }

    /// The response with a stored one, without events.
    /// - Throws: `TransportError` (`responseTooLarge`); the errors of reading its bytes.
    private func made<Response: CacheableResponse>(
        _ stored: StoredResponse, _ status: CacheStatus
    ) throws -> Response {
        let (head, bytes) = stored.response(to: request, status, at: cache.now())
        let response = try Response.stored(head, bytes, to: request, observer: observer)
        cache.count(status)
        return response
    }

    func report(_ events: [TransferEvent]) async {
        if let observer { await CacheEvents.report(events, to: observer) }
    }

    // MARK: In the background

    /// Revalidates a stale response for which no call waits; once at a time for each key.
    private func revalidate(_ stored: StoredResponse, _ lookup: CacheLookup) {
        var request = request
        for name in [HTTPFieldName.range, .ifRange, .ifNoneMatch, .ifModifiedSince] { request.fields.remove(name) }
        request.options.timeouts.total = nil
        request.options.hedge = 0
        if request.method == .head { try? request.setMethod(.get) }
        guard case .leader(let flight) = cache.flights.join(lookup, request) else { return }
        let call = CacheCall(cache, request, nil, background: background)
        // Before the call returns: what the request brings is not stored after a later removal.
        let ticket = try? cache.storage.ticket(for: lookup)
        Task(executorPreference: WorkerThreads.calls) {
            var exchange = CacheExchange(call.request, rules: call.cache.rules)
            var finding = await call.find(lookup)
            finding.ticket = ticket
            // Nothing is sent for a response that was removed meanwhile, as at a sign-out.
            guard ticket != nil, let entry = finding.entry else {
                return call.cache.flights.finish(flight, .abandoned)
            }
            let outgoing = exchange.startRevalidation(entry.response)
            _ = try? await exchange.send(outgoing, lookup, finding, call, flight) { request, _ in
                var request = request
                request.options.attemptReason = .revalidation
                return try await call.background(request)
            }
        }
    }
}
