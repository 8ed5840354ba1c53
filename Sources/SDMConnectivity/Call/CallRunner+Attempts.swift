import Authentication
import Coordination
import Delegation
import Foundation
import HTTPMessages
import Synchronization
import Transport

extension CallRunner {
    /// Sends one attempt and handles the head of its response.
    func attempt() async throws -> CallState.Action {
        // The body of an earlier response is not read any more, and the cache is asked again: a redirect has led to
        // another URL, or a challenge to another user.
        (exchange, cache) = (nil, nil)
        // Also where a cached response would need no task that can be cancelled.
        if request.cancellation.current == true { throw CancellationError() }
        request.noticeURL()
        request.buildRequestHeaders()
        var message = try request.makeMessage()
        let plain = message
        try authorize(&message)
        try download?.addRange(to: &message, as: request.userName(of: message))
        if let rejection = try await request.prepare(&message), let action = refuse(plain, by: rejection) {
            return action
        }
        cache = CacheUse(request, message, revalidates: revalidates)
        switch cache?.decision {
        // The server must accept credentials for which it has asked in this call.
        case .use(let response) where authorizations.allSatisfy(\.challenge.isProxy):
            try finishFromCache(response)
            return call.cached()
        case .revalidate(let conditional): message = conditional
        case .use, .load, nil: break
        }
        message.nameUser(of: request)
        let (settings, isHome) = request.state.withLock { ($0.settings, $0.isHome) }
        let transport = try session.transport(for: request, settings, isHome: isHome)
        postStart(of: message)
        let observer = UploadObserver(request, callbacks)
        let response = try await transport.stream(message, observer: observer)
        exchange = Exchange(message: message, response: response)
        return try await handleHead(of: response, to: message)
    }

    /// Ends an attempt before it is sent, as if it had got the challenge: with the rejected credentials it would be
    /// another attempt, and without any it could be executed for the user of a cookie.
    /// - Parameter message: the request of the attempt without its credentials, which were not rejected in it.
    /// - Returns: nil if the attempt carries others, which may be right.
    private func refuse(
        _ message: HTTPMessages.HTTPRequest, by rejection: CredentialRejection
    ) -> CallState.Action? {
        rejected.formUnion(rejection.credentials)
        // A field of the app's own may be right too.
        let sent = request.state.withLock(\.route.sent)
        guard sent?.isAmong(rejection.credentials) ?? !message.fields.contains(.authorization) else { return nil }
        let head = rejection.response.head
        exchange = Exchange(
            message: message,
            response: HTTPResponseStream(head: head, body: HTTPBody.bytes(rejection.response.body).chunks()),
            isOfTokenFetch: true)
        postStart(of: message)
        request.receive(head)
        postHeaders()
        return call.received(
            status: head.status.code, isProxyChallenge: head.isProxyChallenge, target: nil, rules: rules)
    }

    /// Posts the start of an attempt.
    private func postStart(of message: HTTPMessages.HTTPRequest) {
        callbacks.post { [request] in
            request.callDelegate(\.didStartSelector, default: "requestStarted:") { $0.requestStarted(request) }
            if !request.isSilenced { request.queue?.deliverStart(of: request) }
        }
        request.reportUpload(callbacks) { [length = message.body.length] in $0.start(length) }
        request.reportDownload(callbacks) { [offset = download?.offset ?? 0] in $0.start(resuming: offset) }
    }

    /// Posts the fields of the response.
    private func postHeaders() {
        let headers: SDMResponseHeaders = request.responseHeaders ?? [:]
        callbacks.post { [request] in
            request.callDelegate(
                \.didReceiveResponseHeadersSelector, default: "request:didReceiveResponseHeaders:",
                arguments: [headers.dictionary]
            ) { $0.request(request, didReceiveResponseHeaders: headers) }
            if !request.isSilenced { request.queue?.deliver(headers, of: request) }
        }
    }

    private func handleHead(
        of response: HTTPResponseStream, to message: HTTPMessages.HTTPRequest
    ) async throws -> CallState.Action {
        request.receive(response.head)
        request.invalidateCaches(by: response.head, of: message)
        postHeaders()
        if await request.received(response.head, of: message), let action = call.resend() {
            await discard(response)
            return action
        }
        let isRedirect = rules.shouldRedirect && RedirectRules.statuses.contains(response.status.code)
        var target = isRedirect ? try RedirectRules.target(of: response.head, from: message.url) : nil
        if let url = target, request.redirects == .sameOrigin, Origin(url) != message.origin { target = nil }
        return call.received(
            status: response.status.code, isProxyChallenge: response.head.isProxyChallenge, target: target,
            rules: rules)
    }

    /// Drops the rest of a body; reads it if it is short, so that the connection can be reused.
    func discard(_ response: HTTPResponseStream) async {
        await response.discard(until: session.clock.now + .seconds(1), on: session.clock)
    }
}

extension SDMHttpRequest {
    /// Takes note of a URL that the app has set since the last attempt.
    func noticeURL() { state.withLock { $0.route.notice($0.settings.url) } }
}

/// Reports the bytes of the request body that were sent, and all events to the caller of a transport.
struct UploadObserver: TransferObserver {
    private let base: (any TransferObserver)?
    private let request: SDMHttpRequest
    private let callbacks: Callbacks

    init(_ request: SDMHttpRequest, _ callbacks: Callbacks) {
        self.request = request
        self.callbacks = callbacks
        base = request.state.withLock { $0.observer }
    }

    var isImmediate: Bool { base?.isImmediate ?? false }

    func transfer(didEmit event: TransferEvent) {
        base?.transfer(didEmit: event)
        guard case .sentBytes(let count, _) = event else { return }
        request.progressFeed.transfer(didEmit: event)
        let now = request.session.clock.now
        let report = request.state.withLock { $0.sent(count, at: now) }
        guard isImmediate else { return request.deliver(report, callbacks) }
        // In place, no delegate may be called. What this does not deliver before the end, the end does.
        WorkerThreads.observers.run { [request, callbacks] in request.deliver(report, callbacks) }
    }
}
