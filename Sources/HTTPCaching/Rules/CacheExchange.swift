import Foundation
import HTTPMessages
import Transport

/// The way of one request through a cache, as a state machine without storage, network and clock.
///
/// ```
/// new        -start->     used         a stored response is the response
///                         unavailable  nothing usable is stored, and nothing may be sent
///                         loading      the request is sent as it is
///                         validating   it is sent with the validators of the stored response
///                         extending    a part that is not stored is requested
///                         completing   the rest of a partly stored response is requested
///                         asking       the request is HEAD
/// validating -received 304->           freshened
/// validating -received 5xx, failed->   stale response used, or the failure is the outcome
/// validating, extending, completing -received a response that does not fit the stored one-> loading, once more
/// any sent   -received->               delivered
/// ```
struct CacheExchange: Sendable {
    /// The first action.
    enum Start: Sendable {
        /// Respond with the stored response; `revalidates` asks for an update in the background.
        case use(StoredResponse, revalidates: Bool)
        /// Send this request.
        case send(HTTPRequest)
        /// Respond with status 504.
        case unavailable
    }

    /// The action for a response.
    enum Next: Sendable {
        /// Deliver it, and store its head with the body that comes; nil stores nothing.
        case deliver(storing: StoredResponse?)
        /// Store its head with the body joined to this one; then deliver it, or the whole for a completed body.
        case join(StoredResponse, to: StoredResponse)
        /// Deliver this stored response, which replaces another; `isStorable` is false if it may no longer be stored.
        case freshen(StoredResponse, replacing: StoredResponse, isStorable: Bool)
        /// Deliver a stale response in place of the error.
        case useStale(StoredResponse)
        /// Send this request, whose response is the outcome.
        case sendAgain(HTTPRequest)
    }

    enum Phase {
        case new
        case loading
        case validating(StoredResponse)
        case extending(StoredResponse)
        case completing(StoredResponse)
        case asking(StoredResponse?)
    }

    let request: HTTPRequest
    let rules: CacheRules
    let directives: RequestDirectives
    let policy: CachePolicy
    let range: RequestedRange
    var phase = Phase.new
    /// What is known about the handling so far.
    var status = CacheStatus()

    init(_ request: HTTPRequest, rules: CacheRules) {
        self.request = request
        self.rules = rules
        directives = RequestDirectives(request.fields)
        policy = request.options.hasLayerOptions ? request.options.cachePolicy : .standard
        range = request.method == .get ? RequestedRange(request.fields) : .whole
    }

    /// True while the stored response, whose validators were sent, must stay as it is.
    var isCompleting: Bool { if case .completing = phase { true } else { false } }

    /// True if a call may wait for the response to the request of another one.
    var acceptsSharedResponse: Bool {
        status.forward.map { [.uriMiss, .varyMiss, .stale].contains($0) } ?? false && range == .whole
            && !directives.restrictsAge && request.method != .head && policy != .reload
    }

    // MARK: Start

    /// - Parameters:
    ///   - stored: the stored response that the request selects; nil for none.
    ///   - isKnown: whether other responses are stored for the URL and the user.
    ///   - canComplete: false to send no request for the rest of a body.
    mutating func start(
        _ stored: StoredResponse?, isKnown: Bool, canComplete: Bool = true, now: Double
    ) -> Start {
        guard policy != .noStore, !directives.noStore, !Preconditions.needServer(request.fields), range != .unsupported
        else { return onlyStored ? .unavailable : send(.bypass, .loading) }
        if policy == .reload { return reload(stored, isKnown: isKnown, now) }
        guard let stored else {
            return onlyStored ? .unavailable : send(isKnown ? .varyMiss : .uriMiss, loadingPhase(nil))
        }
        let rest = stored.freshness.timeToLive(at: now)
        guard let content = range.content(of: stored, for: request) else {
            if onlyStored { return .unavailable }
            return complete(stored, canComplete: canComplete)
        }
        switch use(stored, rest, now) {
        case .now:
            status.isHit = true
            status.timeToLive = rest.wholeSecondsToLive
            return .use(stored, revalidates: false)
        case .whileRevalidating:
            status.isHit = true
            status.timeToLive = rest.wholeSecondsToLive
            return .use(stored, revalidates: true)
        case .afterValidation:
            if onlyStored { return .unavailable }
            let reason: CacheStatus.Forward = rest > 0 && !stored.directives.noCache ? .request : .stale
            if request.method == .head { return send(reason, .asking(stored)) }
            // About another representation, as are the conditions of the request.
            if content == .wholeInPlaceOfPart { return send(reason, .loading) }
            return send(reason, .validating(stored), Preconditions.validating(request, stored.fields))
        }
    }

    /// The request that revalidates a stored response, also if it is fresh.
    mutating func startRevalidation(_ stored: StoredResponse?) -> HTTPRequest {
        status.forward = .stale
        guard let stored, let validating = Preconditions.validating(request, stored.fields) else {
            phase = .loading
            return request
        }
        phase = .validating(stored)
        return validating
    }

    /// True if nothing may be sent.
    var onlyStored: Bool { policy == .onlyIfCached || directives.onlyIfCached }

    private func loadingPhase(_ stored: StoredResponse?) -> Phase {
        request.method == .head ? .asking(stored) : .loading
    }

    private mutating func send(
        _ reason: CacheStatus.Forward, _ phase: Phase, _ request: HTTPRequest? = nil
    ) -> Start {
        status.forward = reason
        self.phase = phase
        return .send(request ?? self.request)
    }

    private mutating func reload(_ stored: StoredResponse?, isKnown: Bool, _ now: Double) -> Start {
        var request = request
        // Caches on the way shall not answer it either.
        if !request.fields.contains(.cacheControl) { request.fields[.cacheControl] = "no-cache" }
        let rest = stored?.freshness.timeToLive(at: now)
        let reason: CacheStatus.Forward = rest.map { $0 > 0 ? .request : .stale } ?? (isKnown ? .varyMiss : .uriMiss)
        return send(reason, loadingPhase(stored), request)
    }

    /// Requests what is not stored of a partly stored response.
    private mutating func complete(_ stored: StoredResponse, canComplete: Bool) -> Start {
        guard let tag = stored.head(for: request).strongEntityTag, !Preconditions.areConditional(request.fields),
            !request.fields.contains(.ifRange)
        else { return send(.partial, loadingPhase(stored)) }
        if range != .whole { return send(.partial, .extending(stored)) }
        guard canComplete, request.method == .get, let offset = stored.body.completionOffset else {
            return send(.partial, loadingPhase(stored))
        }
        var rest = request
        rest.fields[.range] = RangeField.bytes(offset...).description
        rest.fields[.ifRange] = tag
        return send(.partial, .completing(stored), rest)
    }

    private enum Use { case now, whileRevalidating, afterValidation }

    private func use(_ stored: StoredResponse, _ rest: Double, _ now: Double) -> Use {
        guard !stored.directives.noCache else { return .afterValidation }
        // A retry, or a call that has moved to another host, asks the server again.
        if stored.status.isTemporary, request.options.attemptReason != .initial { return .afterValidation }
        if policy == .preferCached || policy == .onlyIfCached {
            return rest > 0 || !stored.forbidsStale(rules) ? .now : .afterValidation
        }
        guard !directives.noCache else { return .afterValidation }
        if let limit = directives.maxAge, stored.freshness.age(at: now) > limit {
            // A user's reload of a page sends 0, which does not concern what never changes (RFC 8246).
            guard limit == 0, stored.directives.isImmutable, rest > 0 else { return .afterValidation }
        }
        if let least = directives.minFresh, rest < least { return .afterValidation }
        if rest > 0 { return .now }
        guard !stored.forbidsStale(rules) else { return .afterValidation }
        if let limit = directives.maxStale, -rest <= limit { return .now }
        // No layer above would see the cookies that a response in the background sets, as for a session that goes on.
        let isAllowed = permitsRevalidation(of: stored, rest) && !request.fields.contains(.cookie)
        return isAllowed ? .whileRevalidating : .afterValidation
    }

    /// True while a stale response may be used until it is revalidated (RFC 5861, section 3).
    func permitsRevalidation(of stored: StoredResponse, _ rest: Double) -> Bool {
        stored.directives.staleWhileRevalidate.map { -rest <= $0 } ?? false && !directives.restrictsAge
    }

    /// Marks the response as that of another call's request.
    mutating func markCollapsed() { status.isCollapsed = true }

    /// Makes the next look-up the one after the request of another call.
    mutating func restart() {
        phase = .new
        status = CacheStatus()
    }
}
