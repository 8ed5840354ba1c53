import Authentication
import Coordination
import Delegation
import Foundation
import HTTPMessages
import Transport

/// The state of one request, in its lock.
struct RequestState {
    /// The life of a request.
    enum Phase {
        case created
        case running
        case finished
    }

    var settings: SDMRequestSettings
    var headers = RequestHeaders()
    var body = PostBody()
    var results = SDMRequestResults()
    var phase = Phase.created
    /// True once the last call of a finished request has been posted.
    ///
    /// It leaves its queue after that, since a thread that waits for the queue has to make the call.
    var hasPostedEnd = false
    /// The session as it was when the app started the request; nil before.
    var sessionAtStart: SessionSnapshot?
    /// The options that the caller of a transport has set; nil for a request of the app.
    var options: RequestOptions?
    /// The observer of that caller.
    var observer: (any TransferObserver)?
    /// The end of its total timeout, by the clock of the session.
    var deadline: Duration?
    /// The error of its end, which has cancelled the request; nil before.
    var expiry: TransportError?
    var userInfo = UserInfo()
    /// The trace of the request; the same for all attempts.
    var passport: TracePassport?

    /// The URLs to which headers and credentials belong.
    var route = RequestRoute()
    /// The delegate and what it has to decide.
    var delivery = RequestDelivery()
    /// The progress and its delegates.
    var progress = RequestProgress()
    /// The system's task that lets the request continue in the background; nil before the start and after the end.
    var backgroundTask: BackgroundTask?
    /// The queue and the other requests of it.
    var membership = QueueMembership()

    init(_ settings: SDMRequestSettings) { self.settings = settings }
}

// MARK: The life of a request

extension RequestState {
    /// Starts the request.
    /// - Returns: false if it was started before.
    mutating func begin() -> Bool {
        guard phase == .created else { return false }
        phase = .running
        results.inProgress = true
        return true
    }

    /// Notes that the app has cancelled the request.
    /// - Returns: true if it is to be ended, since it was not started.
    mutating func cancel() -> Bool {
        guard phase != .finished else { return false }
        results.isCancelled = true
        return phase == .created
    }

    /// Ends the request, and takes it out of its queue.
    /// - Returns: the former membership; nil if it had ended before.
    mutating func end(_ error: SDMError?) -> QueueMembership? {
        guard phase != .finished else { return nil }
        phase = .finished
        results.error = error
        results.complete = true
        results.inProgress = false
        return membership.leave()
    }

    /// True after the end, unless the app has set another URL since the last attempt.
    var hasEndedAtURL: Bool {
        phase == .finished && (route.currentURL == nil || route.currentURL == settings.url)
    }
}

// MARK: Attempts

extension RequestState {
    /// True when the next attempt goes to the origin for which the app has set headers.
    var isHome: Bool { route.isHome(settings.url) }

    /// True when the next attempt goes to the origin for which the app, or its delegate since, has set credentials.
    var isCredentialHome: Bool { route.isCredentialHome(settings.url) }

    /// Prepares the first attempt.
    mutating func prepare() {
        results.originalURL = settings.url
        route = RequestRoute(settings.url)
    }

    /// Prepares the attempt after a redirect.
    mutating func redirect(to target: URL, after head: HTTPResponseHead) {
        route.redirect(
            to: target,
            from: RequestRoute.Original(
                url: settings.url, requestMethod: settings.requestMethod, requestCookies: settings.requestCookies,
                headers: headers))
        settings.url = target
        results.redirectURL = target
        var followed = head
        followed.redirects = []
        results.followedHeads.append(followed)
        settings.requestCookies = []
        if RedirectRules.becomesGet(head.status.code, followsRFC2616: settings.shouldUseRFC2616RedirectBehaviour) {
            if settings.requestMethod != HTTP_METHOD_HEAD { settings.requestMethod = HTTP_METHOD_GET }
            route.dropsBody = true
            headers.removeAll(except: RedirectRules.keptHeaders)
        }
        // Also for a later redirect back: the target must not choose what is sent where.
        if !isHome { headers.removeOwn(where: RedirectRules.isSecret) }
    }

    /// The credentials that the app has set for the server of the next attempt, or for the proxy.
    func credential(isProxy: Bool) -> PasswordCredential? {
        isProxy || isCredentialHome ? settings.credential(isProxy: isProxy) : nil
    }
}

// MARK: Copies

extension RequestState {
    /// The state of an unstarted copy: settings, headers, body, delegates and values of the app.
    var unstarted: RequestState {
        let (settings, headers) = forCopy
        var copy = RequestState(settings)
        copy.headers = headers
        copy.body = body.unbuilt
        copy.userInfo = userInfo
        copy.delivery.delegate = delivery.delegate
        copy.progress = RequestProgress(
            uploadDelegate: progress.uploadDelegate, downloadDelegate: progress.downloadDelegate)
        return copy
    }

    /// Settings and headers for a copy: with the app's URL, so that its credentials do not go to a redirect's target,
    /// and without those for the target.
    private var forCopy: (SDMRequestSettings, RequestHeaders) {
        guard let original = route.original, settings.url == route.currentURL else {
            return (settings, headers.unbuilt)
        }
        var settings = settings
        settings.url = original.url
        settings.requestMethod = original.requestMethod
        settings.requestCookies = original.requestCookies
        if !route.hasAppCredentials { (settings.username, settings.password) = (nil, nil) }
        return (settings, original.headers.unbuilt)
    }
}

// MARK: Progress

extension RequestState {
    /// Takes bytes of the response body.
    /// - Parameters:
    ///   - isInFile: true if they are in a file, so not kept in memory.
    ///   - limit: the size of a body in memory.
    mutating func receive(_ chunk: Data, isInFile: Bool, limit: Int, at now: Duration) -> ReceivedChunk {
        results.totalBytesRead += Int64(chunk.count)
        let total = results.totalBytesRead
        var isTooLarge = false
        if !isInFile, delivery.receiver != .delegate {
            isTooLarge = (results.body?.count ?? 0) + chunk.count > limit
            if !isTooLarge { results.append(chunk) }
        }
        return ReceivedChunk(
            total: total, isTooLarge: isTooLarge, delegate: byteReceiver,
            report: report(.download, at: now) { $0.download.received(total) })
    }

    /// The delegate, unless it is known to leave the bytes of the body to the request.
    var byteReceiver: WeakTarget? { delivery.receiver == .request ? nil : delivery.target }

    /// Takes the number of bytes of the request body sent so far.
    mutating func sent(_ count: Int64, at now: Duration) -> ProgressReport {
        results.totalBytesSent = count
        return report(.upload, at: now) { $0.upload.sent(count) }
    }

    /// Updates the meters.
    mutating func report(
        _ direction: TransferProgress.Direction, at now: Duration,
        _ change: (inout ProgressMeters) -> [ProgressChange]
    ) -> ProgressReport {
        let (changes, due) = progress.update(direction, settings, at: now, change)
        // The lengths and the progress of `HEAD` requests are not those of the queue.
        let queue = membership.mainRequest == nil ? membership.queue : nil
        return ProgressReport(direction: direction, changes: changes, due: due, queue: queue)
    }
}

// MARK: Delegates

extension RequestState {
    /// The call of a method of the delegate; nil after `clearDelegatesAndCancel`.
    /// - Parameter selector: nil for a method without a setting.
    func delegateCall(_ selector: KeyPath<SDMRequestSettings, String>?, default standard: String) -> DelegateCall? {
        delivery.target.map {
            DelegateCall(target: $0, selector: selector.map { settings[keyPath: $0] } ?? standard, standard: standard)
        }
    }

    /// Notes whether the delegate has taken bytes of the body.
    mutating func didDeliverData(wasCalled: Bool) {
        delivery.didDeliverData(wasCalled: wasCalled)
        if delivery.receiver == .delegate { results.body = nil }
    }
}
