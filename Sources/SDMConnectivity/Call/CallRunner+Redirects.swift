import Authentication
import Coordination
import Delegation
import Foundation
import HTTPMessages
import Synchronization
import Transport

extension CallRunner {
    /// Announces a redirect, lets the delegate decide, and prepares the request for its target.
    func follow(_ target: URL) async throws -> CallState.Action {
        guard let exchange else { return call.followed() }
        callbacks.post { [request] in
            request.callDelegate(nil, default: "requestRedirected:") { $0.requestRedirected(request) }
        }
        await discard(exchange.response)
        let target = try await decide(target)
        if !session.configuration.allowsRedirectsToHTTP, exchange.message.origin.isSecure, !Origin(target).isSecure {
            throw SDMError(
                .connectionFailure,
                "Redirect from https to http refused; set `SDMSession.Configuration.allowsRedirectsToHTTP` to permit it."
            )
        }
        // A redirect is no challenge, so the server has accepted them.
        try await keepCredentials()
        request.redirect(to: target, status: exchange.head.status.code)
        authorizations.removeAll { !$0.challenge.isProxy }
        return call.followed()
    }

    private func decide(_ target: URL) async throws -> URL {
        let decision = Decision<URL>()
        let queue = request.queue
        let asksQueue = !request.isSilenced && queue?.decidesAboutRedirects(of: request) ?? false
        guard asksQueue || request.delegate != nil else { return target }
        request.state.withLock { $0.redirectDecision = decision }
        defer { request.state.withLock { $0.redirectDecision = nil } }
        callbacks.post { [request] in
            if asksQueue, let queue, queue.decide(about: target, of: request) { return }
            let wasCalled = request.callDelegate(
                \.willRedirectSelector, default: "request:willRedirectToURL:", arguments: [target]
            ) { $0.request(request, willRedirectTo: target) }
            if !wasCalled { decision.resolve(target) }
        }
        return try await wait(for: decision, withoutDelegate: target) { [request] in
            asksQueue ? queue?.delegate != nil : request.delegate != nil
        }
    }

    /// Waits for a decision of the delegate; without effect on timeouts, since nothing is in flight.
    /// - Parameters:
    ///   - fallback: the decision if the delegate is released before it decides.
    ///   - hasDelegate: whether there is a delegate; default that of the request.
    func wait<Value: Sendable>(
        for decision: Decision<Value>, withoutDelegate fallback: Value, hasDelegate: (@Sendable () -> Bool)? = nil
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [request, clock = session.clock] in
                while hasDelegate?() ?? (request.delegate != nil) {
                    try await clock.sleep(until: clock.now + Self.checkInterval)
                }
                decision.resolve(fallback)
            }
            defer { group.cancelAll() }
            return try await decision.value()
        }
    }

    /// The time between two checks whether the delegate still exists.
    private static var checkInterval: Duration { .milliseconds(250) }
}

extension SDMHttpRequest {
    /// Prepares the next attempt of a redirect.
    func redirect(to target: URL, status: Int) {
        state.withLock { state in
            if state.beforeRedirect == nil {
                state.beforeRedirect = BeforeRedirect(
                    url: state.settings.url, requestMethod: state.settings.requestMethod,
                    requestCookies: state.settings.requestCookies, headers: state.headers)
            }
            state.settings.url = target
            state.currentURL = target
            state.results.redirectURL = target
            state.settings.requestCookies = []
            let keepsRequest = !RedirectRules.becomesGet(
                status, followsRFC2616: state.settings.shouldUseRFC2616RedirectBehaviour)
            if !keepsRequest {
                if state.settings.requestMethod != HTTP_METHOD_HEAD { state.settings.requestMethod = HTTP_METHOD_GET }
                state.dropsBody = true
                state.headers.removeAll(except: RedirectRules.keptHeaders)
            }
            // Also for a later redirect back: the target must not choose what is sent where.
            if !state.isHome { state.headers.removeOwn(where: RedirectRules.isSecret) }
        }
    }
}
