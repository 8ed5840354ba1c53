import Coordination
import Foundation
import HTTPMessages
import Transport

extension CacheExchange {
    /// Sends a request, and does with its response what the state machine says.
    /// - Parameters:
    ///   - finding: the stored response that was found, and the ticket of the call; without one nothing is stored.
    ///   - flight: the flight that other calls follow; it is finished in any case.
    mutating func send<Response: CacheableResponse>(
        _ outgoing: HTTPRequest, _ lookup: CacheLookup, _ finding: CacheFinding, _ call: CacheCall,
        _ flight: CacheFlights.Flight?, _ send: CacheCall.Send<Response>
    ) async throws -> Response {
        let landing = FlightEnd(call.cache.flights, flight)
        guard let ticket = finding.ticket else {
            landing.finish(.unshared)
            return await call.finish(try await send(request, call.observer), status)
        }
        var outgoing = outgoing
        let (entry, started) = (finding.entry, call.cache.monotonic.now)
        // Without the validators of a stored response, whose 304 would be none for the caller.
        var plain = request
        // Of the responses that are not the outcome: a layer above wants them.
        var cookies: [String] = []
        while true {
            let requestTime = call.cache.now()
            var response: Response
            do {
                response = try await send(outgoing, observer(call, Response.isStreamed, requestTime))
            } catch {
                if let stale = failed(error, now: call.cache.now()),
                    let response: Response = try await call.deliver(
                        stale, status)
                {
                    landing.finish(.failed(error))
                    call.cache.count { $0.usedInPlaceOfErrors += 1 }
                    return response
                }
                landing.finish(Self.isCancellation(error) ? .abandoned : .failed(error))
                throw error
            }
            let next = received(response.head, requestTime: requestTime, responseTime: call.cache.now())
            switch next {
            case .deliver(let template):
                let kept = try await deliver(response, template, nil, lookup, entry, ticket, call, landing)
                return cookies.isEmpty ? kept : kept.with(cookies: cookies + kept.cookies)
            case .join(let template, let stored) where !isCompleting:
                return try await deliver(response, template, stored, lookup, entry, ticket, call, landing)
            case .join(let template, let stored):
                cookies += response.cookies
                if let whole: Response = try await complete(response, template, stored, lookup, ticket, call) {
                    landing.finish(.stored)
                    return whole.with(cookies: whole.cookies + cookies)
                }
                _ = loadAgain()
                plain = try call.remaining(since: started, after: response.head)
                outgoing = plain
            case .freshen(let fresh, _, let isStorable):
                cookies += response.cookies
                await response.discard(until: Self.clock.now + .seconds(1), on: Self.clock)
                let isKept = await freshenInTime(fresh, isStorable, lookup, entry, ticket, call)
                landing.finish(isKept ? .stored : .unshared)
                status.isStored = isKept
                if let whole: Response = try await call.deliver(fresh, status) {
                    return whole.with(cookies: whole.cookies + cookies)
                }
                await call.cache.removeOutdated(entry)
                _ = loadAgain()
                plain = try call.remaining(since: started, after: response.head)
                outgoing = plain
            case .useStale(let stale):
                guard let stored: Response = try await call.deliver(stale, status) else {
                    landing.finish(.unshared)
                    return await call.finish(response, status)
                }
                await response.discard(until: Self.clock.now + .seconds(1), on: Self.clock)
                call.cache.count { $0.usedInPlaceOfErrors += 1 }
                landing.finish(.unshared)
                return stored.with(cookies: stored.cookies + response.cookies)
            case .sendAgain:
                cookies += response.cookies
                await response.discard(until: Self.clock.now + .seconds(1), on: Self.clock)
                plain = try call.remaining(since: started, after: response.head)
                outgoing = plain
            }
        }
    }

    private static var clock: AnyMonotonicClock { .continuous }

    private static func isCancellation(_ error: any Error) -> Bool {
        (error as? TransportError)?.code == .cancelled || error is CancellationError
    }

    /// The observer of a request: for a stream one that adds the status to the events, since only the transport may
    /// send events while a body is read.
    private func observer(
        _ call: CacheCall, _ isStreamed: Bool, _ requestTime: Double
    ) -> (any TransferObserver)? {
        guard isStreamed, let observer = call.observer else { return call.observer }
        return StatusObserver(observer, self, requestTime: requestTime, now: call.cache.now)
    }

    /// Delivers a response from the network, and stores it.
    private func deliver<Response: CacheableResponse>(
        _ response: Response, _ template: StoredResponse?, _ partial: StoredResponse?, _ lookup: CacheLookup,
        _ entry: CacheEntry?, _ ticket: Int64, _ call: CacheCall, _ landing: FlightEnd
    ) async throws -> Response {
        var status = status
        if request.method == .head {
            status.isStored = await update(asked, to: template, response.head.status, entry, lookup, call)
            return await call.finish(response, status)
        }
        let outdated = isOutdated(by: response.head.status) ? entry : nil
        let storing = template.map { template in
            ResponseStoring(
                cache: call.cache, lookup: lookup, ticket: ticket, head: response.head, template: template,
                partial: partial, outdated: outdated)
        }
        guard let storing, storing.isPromising else {
            landing.finish(.unshared)
            await call.cache.removeOutdated(outdated)
            status.isStored = false
            return await call.finish(response, status)
        }
        let (kept, stored) = await response.storing(with: storing, observer: call.observer) { isStored in
            landing.finish(isStored ? .stored : .unshared)
        }
        if !Response.isStreamed { status.isStored = stored != nil }
        return await call.finish(kept, status)
    }

    /// Updates or removes the stored response that a `HEAD` request was about.
    /// - Returns: whether it is stored with the update.
    private func update(
        _ stored: StoredResponse?, to fresh: StoredResponse?, _ status: HTTPStatus, _ entry: CacheEntry?,
        _ lookup: CacheLookup, _ call: CacheCall
    ) async -> Bool {
        guard stored != nil, let entry else { return false }
        do {
            return try await call.cache.inTime { [storage = call.cache.storage] in
                if let fresh {
                    if try await storage.replace(entry, with: fresh, lookup) != nil { return true }
                    try await storage.remove(entry)
                } else if [.ok, .notFound, .gone].contains(status) {
                    // Another status says nothing about what is stored.
                    try await storage.remove(entry)
                }
                return false
            }
        } catch {
            await call.report([.layer(call.cache.failed(error))])
            return false
        }
    }

    /// Stores the rest of a body, and makes the whole response.
    /// - Returns: nil if the parts do not make a whole.
    private func complete<Response: CacheableResponse>(
        _ rest: Response, _ template: StoredResponse, _ stored: StoredResponse, _ lookup: CacheLookup, _ ticket: Int64,
        _ call: CacheCall
    ) async throws -> Response? {
        let storing = ResponseStoring(
            cache: call.cache, lookup: lookup, ticket: ticket, head: rest.head, template: template, partial: stored,
            outdated: nil)
        let (_, joined) = await rest.storing(with: storing, observer: call.observer) { _ in }
        guard let joined, joined.body.isComplete else { return nil }
        return try await call.deliver(joined, status)
    }

    /// Does what ``freshen(_:_:_:_:_:_:)`` does, as far as ``HTTPCache/inTime(_:)`` waits for it.
    private func freshenInTime(
        _ fresh: StoredResponse, _ isStorable: Bool, _ lookup: CacheLookup, _ entry: CacheEntry?, _ ticket: Int64,
        _ call: CacheCall
    ) async -> Bool {
        do {
            let isKept = try await call.cache.inTime { [self] in
                try await freshen(fresh, isStorable, lookup, entry, ticket, call.cache)
            }
            if isKept { call.cache.count { $0.stored += 1 } }
            return isKept
        } catch {
            await call.report([.layer(call.cache.failed(error))])
            return false
        }
    }

    /// Replaces a stored response by one that a 304 has updated, and the other variants that it confirms.
    /// - Returns: whether it is stored.
    private func freshen(
        _ fresh: StoredResponse, _ isStorable: Bool, _ lookup: CacheLookup, _ entry: CacheEntry?, _ ticket: Int64,
        _ cache: HTTPCache
    ) async throws -> Bool {
        guard let entry else { return false }
        let storage = cache.storage
        guard isStorable else {
            try await storage.remove(entry)
            return false
        }
        var isKept = try await storage.replace(entry, with: fresh, lookup) != nil
        if !isKept, fresh.varying != entry.response.varying {
            // Another `Vary`: it is another variant now.
            isKept = try await storage.move(entry, to: fresh, lookup, ticket: ticket)
        }
        guard let tag = fresh.entityTag, !fresh.varying.isEmpty else { return isKept }
        for other in try storage.variants(lookup)
        where other.variant != entry.variant && other.response.entityTag == tag {
            let fields = FieldRules.updated(other.response.fields, by: fresh.fields)
            let updated = StoredResponse(
                other.response.status, fields, requestTime: fresh.requestTime, responseTime: fresh.responseTime,
                receivedTime: other.response.receivedTime, varying: other.response.varying, body: other.response.body,
                rules: rules)
            _ = try await storage.replace(other, with: updated, lookup)
        }
        return isKept
    }
}

/// Adds the status of the cache to the events of a streamed response.
private struct StatusObserver: TransferObserver {
    private let observer: any TransferObserver
    private let exchange: CacheExchange
    private let requestTime: Double
    private let now: @Sendable () -> Double

    init(
        _ observer: any TransferObserver, _ exchange: CacheExchange, requestTime: Double,
        now: @escaping @Sendable () -> Double
    ) {
        (self.observer, self.exchange, self.requestTime, self.now) = (observer, exchange, requestTime, now)
    }

    var isImmediate: Bool { observer.isImmediate }

    func transfer(didEmit event: TransferEvent) {
        guard case .head(var head) = event else { return observer.transfer(didEmit: event) }
        var exchange = exchange
        switch exchange.received(head, requestTime: requestTime, responseTime: now()) {
        case .deliver, .join:
            head.cacheStatus = exchange.status
            observer.transfer(didEmit: .head(head))
            observer.transfer(didEmit: .layer(CacheEvent.status(exchange.status)))
        case .freshen, .useStale, .sendAgain: observer.transfer(didEmit: event)
        }
    }
}

extension CacheableResponse {
    fileprivate var cookies: [String] { head.fields.values(of: .setCookie) }

    /// The response with these cookies; of two for one name the last one counts.
    fileprivate func with(cookies: [String]) -> Self {
        guard !cookies.isEmpty else { return self }
        var response = self
        response.head.fields.remove(.setCookie)
        for cookie in cookies { try? response.head.fields.append(.setCookie, cookie) }
        return response
    }
}
