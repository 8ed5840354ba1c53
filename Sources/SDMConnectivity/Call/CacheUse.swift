import Delegation
import HTTPCaching
import HTTPMessages
import Synchronization

/// The cache of one attempt, with the request by which it knows the response.
struct CacheUse {
    private let cache: any DownloadCaching
    private let request: SDMHttpRequest
    private let message: HTTPMessages.HTTPRequest
    private let user: CacheUser
    private let options: SDMCacheOptions
    /// The number of the last removal before the request.
    private let ticket: Int64
    let decision: CacheDecision

    /// Asks the cache of a request; nil without one, and after a `clear()` of the session: the cached responses may be
    /// those of another user then.
    /// - Parameter revalidates: false to load a response that would be revalidated.
    init?(_ request: SDMHttpRequest, _ message: HTTPMessages.HTTPRequest, revalidates: Bool) {
        guard let cache = request.downloadCache else { return nil }
        self.cache = cache
        self.message = message
        user = CacheUser(request, message)
        var options = request.settings.cacheOptions
        options.user = user.text
        self.options = options
        ticket = request.session.removals.withLock(\.number)
        let decision = cache.decision(for: message, options: options)
        self.decision = if case .revalidate = decision, !revalidates { .load } else { decision }
        self.request = request
        guard request.belongsToSession else { return nil }
    }

    /// True for a 304 to a conditional request of the cache.
    func isRevalidated(by head: HTTPResponseHead) -> Bool {
        if case .revalidate = decision { head.status == .notModified } else { false }
    }

    /// The cached response that a 304 confirms; nil if that is not about it, or if it was removed meanwhile.
    func confirmed(by head: HTTPResponseHead) -> HTTPResponse? {
        guard case .revalidate(let conditional) = decision else { return nil }
        let response = cache.confirmed(by: head, for: conditional, options: options)
        removeIfOutdated()
        return ofSession(response)
    }

    private func ofSession(_ response: HTTPResponse?) -> HTTPResponse? { request.belongsToSession ? response : nil }

    /// True when the body should be kept for the cache: not for the response to a login, which is of another user than
    /// its request.
    func accepts(_ head: HTTPResponseHead) -> Bool {
        !user.isReplaced(by: head, to: message) && cache.accepts(head, for: message, options: options)
    }

    /// Stores a complete response, for the user of its request.
    func store(_ response: HTTPResponse) {
        guard isCurrent else { return }
        cache.store(response, for: message, options: options)
        removeIfOutdated()
    }

    /// False after a `clear()` of the session, and after a write that has removed the response of the URL.
    private var isCurrent: Bool {
        request.belongsToSession
            && request.session.removals.withLock { $0.permits(message.url.cacheKey, since: ticket) }
    }

    /// Removes what was stored while it became outdated.
    private func removeIfOutdated() { if !isCurrent { cache.removeCachedData(for: message.url) } }

    /// The response in place of a connection failure or a timeout.
    func fallback(for error: SDMError) -> HTTPResponse? {
        guard error.code == .connectionFailure || error.code == .requestTimedOut else { return nil }
        return ofSession(cache.fallback(for: message, options: options))
    }
}

extension CallRunner {
    /// Completes the results with a cached response, or the file of a download.
    /// - Throws: ``SDMError`` (`fileManagement`).
    func finishFromCache(_ response: HTTPResponse) throws(SDMError) {
        if let download {
            try download.open(at: 0)
            try download.append(response.body)
            try download.commit()
        }
        let delegate = request.receiveCached(response, isInFile: download != nil)
        if delegate?.object != nil, !response.body.isEmpty {
            callbacks.post { [request] in request.deliver(response.body) }
        }
        request.reportUpload(callbacks) { $0.finish() }
        request.reportDownload(callbacks) { $0.finish() }
    }

    /// Uses the cached response in place of a failure; false if there is none, and if the delegate has taken bytes of
    /// another one.
    func finishFromCache(insteadOf error: SDMError) async -> Bool {
        guard let response = cache?.fallback(for: error) else { return false }
        // The delegate may not have been called yet.
        if !canReceiveAgain { try? await callbacks.wait() }
        // A `clear()` meanwhile removed the response.
        guard canReceiveAgain, request.belongsToSession else { return false }
        do throws(SDMError) {
            try finishFromCache(response)
            return true
        } catch {
            // The first error is that of the call.
            return false
        }
    }
}

extension SDMHttpRequest {
    /// - Returns: the delegate, unless it leaves the bytes to the request.
    fileprivate func receiveCached(_ response: HTTPResponse, isInFile: Bool) -> WeakTarget? {
        receive(response.head)
        update { results in
            results.didUseCachedResponse = true
            results.body = isInFile ? nil : response.body
            results.isInFile = isInFile
            results.contentLength = Int64(response.body.count)
        }
        return state.withLock(\.byteReceiver)
    }
}
