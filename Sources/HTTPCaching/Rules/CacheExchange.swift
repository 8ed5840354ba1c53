import Foundation
import HTTPMessages
import PatchbayErrors
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

    private enum Phase {
        case new
        case loading
        case validating(StoredResponse)
        case extending(StoredResponse)
        case completing(StoredResponse)
        case asking(StoredResponse?)
    }

    let request: HTTPRequest
    let rules: CacheRules
    private let directives: RequestDirectives
    private let policy: CachePolicy
    private let range: RequestedRange
    private var phase = Phase.new
    /// What is known about the handling so far.
    private(set) var status = CacheStatus()

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
            && !directives.restrictsAge && request.method != .head
    }

    // MARK: Start

    /// - Parameters:
    ///   - stored: the stored response that the request selects; nil for none.
    ///   - isKnown: whether other responses are stored for the URL.
    ///   - canComplete: false to send no request for the rest of a body.
    mutating func start(
        _ stored: StoredResponse?, isKnown: Bool, canComplete: Bool = true, now: Double
    ) -> Start {
        guard policy != .noStore, !directives.noStore, !Preconditions.needServer(request.fields), range != .unsupported
        else { return send(.bypass, .loading) }
        guard let stored else {
            return onlyStored ? .unavailable : send(isKnown ? .varyMiss : .uriMiss, loadingPhase(nil))
        }
        let rest = stored.freshness.timeToLive(at: now)
        if policy == .reload { return reload(stored, rest) }
        guard let content = range.content(of: stored, for: request) else {
            if onlyStored { return .unavailable }
            return complete(stored, canComplete: canComplete)
        }
        switch use(stored, rest, now) {
        case .now:
            status.isHit = true
            status.timeToLive = rest.wholeSeconds
            return .use(stored, revalidates: false)
        case .whileRevalidating:
            status.isHit = true
            status.timeToLive = rest.wholeSeconds
            return .use(stored, revalidates: true)
        case .afterValidation:
            if onlyStored { return .unavailable }
            let reason: CacheStatus.Forward = rest > 0 && !stored.directives.noCache ? .request : .stale
            if request.method == .head { return send(reason, .asking(stored)) }
            guard let validating = Preconditions.validating(request, stored.fields), content != .wholeInPlaceOfPart
            else { return send(reason, .validating(stored)) }
            return send(reason, .validating(stored), validating)
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

    private var onlyStored: Bool { policy == .onlyIfCached || directives.onlyIfCached }

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

    private mutating func reload(_ stored: StoredResponse, _ rest: Double) -> Start {
        var request = request
        // Caches on the way shall not answer it either.
        if !request.fields.contains(.cacheControl) { request.fields[.cacheControl] = "no-cache" }
        return send(rest > 0 ? .request : .stale, loadingPhase(stored), request)
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
        if let limit = stored.directives.staleWhileRevalidate, -rest <= limit, !directives.restrictsAge {
            return .whileRevalidating
        }
        return .afterValidation
    }

    // MARK: Responses

    /// The action for the head of a response to the sent request.
    mutating func received(_ head: HTTPResponseHead, requestTime: Double, responseTime: Double) -> Next {
        let template =
            isStorable(head.status)
            ? Storability(rules: rules).storable(
                head, to: request, requestTime: requestTime, responseTime: responseTime) : nil
        switch phase {
        case .validating(let stored) where head.status == .notModified && stored.hasValidator:
            status.forwardStatus = head.status.code
            return freshen(stored, by: head, requestTime: requestTime, responseTime: responseTime)
        case .validating(let stored)
        where head.status.isServerFailure && mayUse(stored, insteadOfErrorAt: responseTime):
            status.forwardStatus = head.status.code
            return useStale(stored, now: responseTime)
        case .extending(let stored), .completing(let stored):
            if head.status == .partialContent, let template, head.strongEntityTag == stored.entityTag {
                return deliver(template, joining: stored)
            }
            guard isCompleting, head.status != .ok else { return deliver(template) }
            return loadAgain()
        case .asking(let stored):
            return deliver(stored.flatMap { updated($0, byHead: head, requestTime, responseTime) })
        default:
            return deliver(template)
        }
    }

    /// False for a response to the conditions or the range of the request, which is none to a request without them.
    private func isStorable(_ status: HTTPStatus) -> Bool {
        if status.code == 412 || status.code == 416 || Preconditions.needServer(request.fields) { return false }
        return switch range {
        case .whole: status != .partialContent || isCompleting
        case .part: status == .ok || status == .partialContent
        case .unsupported: false
        }
    }

    private mutating func deliver(_ template: StoredResponse?, joining stored: StoredResponse? = nil) -> Next {
        status.isStored = template != nil
        status.timeToLive = template.map { $0.freshness.timeToLive(at: $0.responseTime).wholeSeconds }
        guard let template, let stored else { return .deliver(storing: template) }
        if isCompleting { status.forwardStatus = HTTPStatus.partialContent.code }
        let joined = StoredResponse(
            stored.status, FieldRules.updated(stored.fields, by: template.fields), requestTime: template.requestTime,
            responseTime: template.responseTime, varying: template.varying, body: stored.body, rules: rules)
        return .join(joined, to: stored)
    }

    private mutating func freshen(
        _ stored: StoredResponse, by head: HTTPResponseHead, requestTime: Double, responseTime: Double
    ) -> Next {
        // A 304 with another strong validator is not about the stored response (RFC 9111, section 4.3.4).
        if let tag = head.strongEntityTag, tag != stored.entityTag { return loadAgain() }
        let fields = FieldRules.updated(
            stored.fields, by: FieldRules.stored(head.fields, ResponseDirectives(head.fields), rules))
        let names = Variant.names(in: fields)
        let fresh = StoredResponse(
            stored.status, fields, requestTime: requestTime, responseTime: responseTime, varying: names ?? [],
            body: stored.body, rules: rules)
        var storable = HTTPResponseHead(status: stored.status, fields: fields, url: request.url)
        storable.method = request.method
        let isStorable = names != nil && Storability(rules: rules).permits(storable, fresh.directives, to: request)
        status.isStored = isStorable
        status.timeToLive = fresh.freshness.timeToLive(at: responseTime).wholeSeconds
        return .freshen(fresh, replacing: stored, isStorable: isStorable)
    }

    /// Sends the request as it is, since the stored response turned out to be of no use.
    mutating func loadAgain() -> Next {
        phase = .loading
        return .sendAgain(request)
    }

    /// The stored response with the fields of a response to `HEAD`; nil if that is about another one, which has to be
    /// removed then (RFC 9111, section 4.3.5).
    private func updated(
        _ stored: StoredResponse, byHead head: HTTPResponseHead, _ requestTime: Double, _ responseTime: Double
    ) -> StoredResponse? {
        guard head.status == .ok, stored.status == .ok else { return nil }
        for name in [HTTPFieldName.etag, .lastModified] {
            if let new = head.fields[name], new != stored.fields[name] { return nil }
        }
        if stored.body.isComplete, let length = head.fields[.contentLength], length != String(stored.body.byteCount) {
            return nil
        }
        let fields = FieldRules.updated(
            stored.fields, by: FieldRules.stored(head.fields, ResponseDirectives(head.fields), rules))
        guard let names = Variant.names(in: fields) else { return nil }
        let fresh = StoredResponse(
            stored.status, fields, requestTime: requestTime, responseTime: responseTime, varying: names,
            body: stored.body, rules: rules)
        return fresh.directives.noStore ? nil : fresh
    }

    /// The stored response that a `HEAD` request was about.
    var asked: StoredResponse? { if case .asking(let stored) = phase { stored } else { nil } }

    /// The stored response that was revalidated.
    var validated: StoredResponse? { if case .validating(let stored) = phase { stored } else { nil } }

    // MARK: Errors

    /// The stale response that replaces an error; nil if the error is the outcome.
    mutating func failed(_ error: any Error, now: Double) -> StoredResponse? {
        guard case .validating(let stored) = phase, Self.isOutage(error),
            mayUse(stored, insteadOfErrorAt: now)
        else { return nil }
        _ = useStale(stored, now: now)
        return stored
    }

    /// True if the server could not be reached, or an open circuit expects that it cannot.
    private static func isOutage(_ error: any Error) -> Bool {
        if let error = error as? TransportError { return error.isOutage }
        return (error as? any PatchbayError)?.openCircuit ?? false
    }

    private mutating func useStale(_ stored: StoredResponse, now: Double) -> Next {
        status.timeToLive = stored.freshness.timeToLive(at: now).wholeSeconds
        return .useStale(stored)
    }

    private func mayUse(_ stored: StoredResponse, insteadOfErrorAt now: Double) -> Bool {
        guard !stored.forbidsStale(rules), !directives.noCache, directives.maxAge == nil, directives.minFresh == nil
        else { return false }
        let limit =
            (request.options.hasLayerOptions ? request.options.staleIfError : nil).map { $0 / .seconds(1) }
            ?? directives.staleIfError ?? stored.directives.staleIfError ?? rules.staleIfError / .seconds(1)
        let rest = stored.freshness.timeToLive(at: now)
        return limit > 0 && -rest <= limit
    }

    /// Marks the response as that of another call's request.
    mutating func markCollapsed() { status.isCollapsed = true }

    /// Makes the next look-up the one after the request of another call.
    mutating func restart() {
        phase = .new
        status = CacheStatus()
    }
}

extension PatchbayError {
    /// True for the error of a layer below which this module does not know.
    fileprivate var openCircuit: Bool { code.name == "circuitOpen" }
}

extension TransportError {
    /// True if the server could not be reached, or did not respond in time.
    fileprivate var isOutage: Bool {
        switch code {
        case .connectionRefused, .hostNotFound, .unreachable, .timedOut, .connectionLost, .proxy: true
        default: false
        }
    }
}
