import Foundation
import HTTPMessages
import PatchbayErrors
import Transport

extension CacheExchange {
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

    /// False for a response to the conditions or the range of the request: a request without them needs another.
    private func isStorable(_ status: HTTPStatus) -> Bool {
        // Challenges are not stored, and without them 401 and 407 are of no use.
        if [401, 407, 412, 416].contains(status.code) || Preconditions.needServer(request.fields) { return false }
        return switch range {
        case .whole: status != .partialContent || isCompleting
        case .part: status == .ok || status == .partialContent
        case .unsupported: false
        }
    }

    private mutating func deliver(_ template: StoredResponse?, joining stored: StoredResponse? = nil) -> Next {
        status.isStored = template != nil
        status.timeToLive = template.map { $0.freshness.timeToLive(at: $0.responseTime).wholeSecondsToLive }
        guard let template, let stored else { return .deliver(storing: template) }
        if isCompleting { status.forwardStatus = HTTPStatus.partialContent.code }
        let joined = StoredResponse(
            stored.status, FieldRules.updated(stored.fields, by: template.fields), requestTime: template.requestTime,
            responseTime: template.responseTime, receivedTime: stored.receivedTime, varying: template.varying,
            body: stored.body, rules: rules)
        return .join(joined, to: stored)
    }

    private mutating func freshen(
        _ stored: StoredResponse, by head: HTTPResponseHead, requestTime: Double, responseTime: Double
    ) -> Next {
        guard Preconditions.isAbout(stored.fields, notModified: head.fields) else { return loadAgain() }
        let fields = FieldRules.updated(
            stored.fields, by: FieldRules.stored(head.fields, ResponseDirectives(head.fields), rules))
        let names = Variant.names(in: fields)
        let fresh = StoredResponse(
            stored.status, fields, requestTime: requestTime, responseTime: responseTime,
            receivedTime: stored.receivedTime, varying: names ?? [], body: stored.body, rules: rules)
        let isStorable = names != nil && permits(fresh)
        status.isStored = isStorable
        status.timeToLive = fresh.freshness.timeToLive(at: responseTime).wholeSecondsToLive
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
            stored.status, fields, requestTime: requestTime, responseTime: responseTime,
            receivedTime: stored.receivedTime, varying: names, body: stored.body, rules: rules)
        return permits(fresh) ? fresh : nil
    }

    /// True if a stored response may stay with updated fields.
    private func permits(_ fresh: StoredResponse) -> Bool {
        let head = HTTPResponseHead(status: fresh.status, fields: fresh.fields, url: request.url)
        return Storability(rules: rules).permits(head, fresh.directives, to: request)
    }

    /// The stored response that a `HEAD` request was about.
    var asked: StoredResponse? { if case .asking(let stored) = phase { stored } else { nil } }

    /// True if a response with this status shows that the stored one is outdated.
    func isOutdated(by status: HTTPStatus) -> Bool {
        let isAsked = if case .validating = phase { true } else { policy == .reload }
        return isAsked && (status.isSuccessful || status == .notFound || status == .gone)
    }

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
        status.timeToLive = stored.freshness.timeToLive(at: now).wholeSecondsToLive
        return .useStale(stored)
    }

    private func mayUse(_ stored: StoredResponse, insteadOfErrorAt now: Double) -> Bool {
        guard !stored.forbidsStale(rules), !directives.noCache, directives.maxAge == nil, directives.minFresh == nil
        else { return false }
        let limit =
            (request.options.hasLayerOptions ? request.options.staleIfError : nil).map { $0 / .seconds(1) }
            ?? directives.staleIfError ?? stored.directives.staleIfError ?? rules.staleIfError / .seconds(1)
        let rest = stored.freshness.timeToLive(at: now)
        if request.fields.contains(.cookie), permitsRevalidation(of: stored, rest) { return true }
        return limit > 0 && -rest <= limit
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
