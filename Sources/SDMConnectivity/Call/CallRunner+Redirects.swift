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
        try checkBody(of: exchange, to: target)
        // Those of a proxy, which has passed the request on.
        try await keepCredentials()
        request.state.withLock { $0.redirect(to: target, after: exchange.head) }
        authorizations.removeAll { !$0.challenge.isProxy }
        return call.followed()
    }

    /// Refuses a redirect that would send a body with credentials to another origin.
    private func checkBody(of exchange: Exchange, to target: URL) throws(TransportError) {
        let message = exchange.message
        let dropsBody = RedirectRules.becomesGet(
            exchange.head.status.code, followsRFC2616: request.settings.shouldUseRFC2616RedirectBehaviour)
        guard message.options.hasSecretBody, !dropsBody, !message.body.isEmpty, Origin(target) != message.origin else {
            return
        }
        throw TransportError(
            .redirectRefused,
            "Redirect refused: the target is another origin, and the body contains credentials; send the request to "
                + "the target.", request: message, head: exchange.head)
    }

    private func decide(_ target: URL) async throws -> URL {
        let queue = request.queue
        let asksQueue = !request.isSilenced && queue?.decidesAboutRedirects(of: request) ?? false
        guard asksQueue || request.delegate != nil else { return target }
        return try await decision(at: \.delivery.redirectDecision, withoutDelegate: target) { [request] in
            asksQueue ? queue?.delegate != nil : request.delegate != nil
        } asking: { [request] decision in
            if asksQueue, let queue, queue.decide(about: target, of: request) { return }
            let wasCalled = request.callDelegate(
                \.willRedirectSelector, default: "request:willRedirectToURL:", arguments: [target]
            ) { $0.request(request, willRedirectTo: target) }
            if !wasCalled { decision.fulfill(target) }
        }
    }

    /// Asks a delegate, and waits for its decision; without effect on timeouts, since nothing is in flight.
    /// - Parameters:
    ///   - path: where the delegate's answer finds the decision.
    ///   - fallback: the decision if the delegate is released before it decides.
    ///   - hasDelegate: whether there is a delegate.
    ///   - ask: calls the delegate.
    func decision<Value: Sendable>(
        at path: any WritableKeyPath<RequestState, Promise<Value>?> & Sendable, withoutDelegate fallback: Value,
        hasDelegate: @escaping @Sendable () -> Bool, asking ask: @escaping @Sendable (Promise<Value>) -> Void
    ) async throws -> Value {
        let decision = Promise<Value>()
        request.state.replace(path, with: decision)
        defer { request.state.replace(path, with: nil) }
        callbacks.post { ask(decision) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [clock = session.clock] in
                // Swift does not report the release of an object that is held weakly, so it is polled.
                while hasDelegate() { try await clock.sleep(until: clock.now + Self.checkInterval) }
                decision.fulfill(fallback)
            }
            defer { group.cancelAll() }
            return try await decision.cancellableValue()
        }
    }

    /// The time between two checks whether the delegate still exists.
    private static var checkInterval: Duration { .milliseconds(250) }
}
