import Authentication
import Delegation
import Foundation
import HTTPMessages
import Synchronization
import Transport

/// A layer that offers responses to the handlers of gateways, and sends the request again after a login.
///
/// Responses of MobileFirst itself are not offered. Without handlers it costs nothing.
struct GatewayKeeping<Base: StreamingTransport>: StreamingTransport {
    let base: Base
    let state: ClientState
    let handlers: HandlerRegistry

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        while true {
            let logins = handlers.gatewayLogins
            let response = try await base.send(request, observer: observer)
            guard try await isResent(request, response, since: logins) else { return response }
        }
    }

    /// Streams a response. With handlers, the body of a status other than 2xx is read into memory first.
    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        while true {
            let logins = handlers.gatewayLogins
            let response = try await base.stream(request, observer: observer)
            guard !handlers.gateways.isEmpty, !response.status.isSuccessful else { return response }
            let collected = try await response.collect(upTo: request.options.maximumResponseBytes)
            guard try await isResent(request, collected, since: logins) else {
                let body = collected.body
                return HTTPResponseStream(
                    head: collected.head,
                    body: AsyncStream { stream in
                        if !body.isEmpty { stream.yield(body) }
                        stream.finish()
                    })
            }
        }
    }

    /// Offers a response to the handlers, and waits for the one that claims it.
    /// - Parameter logins: the number of logins when the request was sent; if there was one since, that is enough.
    /// - Returns: true if the request is to be sent again.
    private func isResent(_ request: HTTPRequest, _ response: HTTPResponse, since logins: Int) async throws -> Bool {
        let gateways = handlers.gateways
        guard !gateways.isEmpty, request.body.isReplayable, !isOfMobileFirst(response) else { return false }
        let offered = WLResponse(response)
        let claimant = await claimant(among: gateways, of: offered)
        if Task.isCancelled { throw TransportError.cancelled(request) }
        guard let box = claimant else { return false }
        guard handlers.gatewayLogins == logins else { return true }
        let delivery = state.delivery
        let outcome = await box.handler.challenge.wait(state, send: { try await base.send($0, observer: nil) }) {
            delivery.callBack { box.handler.handleChallenge(offered) }
        }
        if Task.isCancelled { throw TransportError.cancelled(request) }
        guard outcome == .resend else {
            throw WLError(
                .challengeCancelled,
                "CHALLENGE_HANDLING_CANCELED: the handler of the gateway \(box.handler.name) cancelled the challenge.",
                response: offered)
        }
        return true
    }

    /// The first handler that claims a response; nil without one, and if the task is cancelled.
    private func claimant(
        among gateways: [HandlerRegistry.Box<GatewayChallengeHandler>], of response: WLResponse
    ) async -> HandlerRegistry.Box<GatewayChallengeHandler>? {
        let delivery = state.delivery
        let claim = GatewayClaim()
        return await claim.wait {
            delivery.callBack { claim.end(gateways.first { $0.handler.canHandleResponse(response) }) }
        }
    }

    /// True for a challenge, a conflict or an authorization of the server itself.
    private func isOfMobileFirst(_ response: HTTPResponse) -> Bool {
        let head = response.head
        if head.isConflictOfMobileFirst { return true }
        switch head.status {
        case .unauthorized, .forbidden:
            return head.isChallengeOfMobileFirst || head.challenges.contains { $0.scheme == "bearer" }
                || PreauthorizationResponse(response).isFailure
        default:
            return head.fields[.location]?.hasPrefix(state.configuration.redirectURI) == true
        }
    }
}

/// The wait for the handler that claims a response. The handlers may be asked late: cancelling the task ends it too.
private final class GatewayClaim: Sendable {
    typealias Handler = HandlerRegistry.Box<GatewayChallengeHandler>

    private let waiter = Mutex<CheckedContinuation<Handler?, Never>?>(nil)

    func wait(_ ask: @Sendable () -> Void) async -> Handler? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter.withLock { $0 = continuation }
                // The cancellation handler has no effect before there is a waiter.
                guard !Task.isCancelled else { return end(nil) }
                ask()
            }
        } onCancel: {
            end(nil)
        }
    }

    /// Ends the wait, unless it has ended.
    func end(_ handler: Handler?) { waiter.withLock { $0.take() }?.resume(returning: handler) }
}

extension PreauthorizationResponse {
    fileprivate var isFailure: Bool { if case .failures = self { true } else { false } }
}
