import HTTPMessages
import Transport

/// A layer that sends a call's request again after a login at a gateway.
///
/// It is above the redirects, one of which may have led to the login page; ``GatewayKeeping``, below them, asks the
/// handlers. Without handlers it costs nothing. A body that can be read only once cannot be sent again, so the handlers
/// are not asked then.
struct GatewayResending<Base: Transport>: Transport {
    let base: Base
    let handlers: HandlerRegistry

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        try await resend(request) { try await base.send($0, observer: observer) }
    }

    private func resend<Response>(
        _ request: HTTPRequest, _ send: (HTTPRequest) async throws -> Response
    ) async throws -> Response {
        guard request.body.isReplayable, !handlers.gateways.isEmpty else { return try await send(request) }
        var request = request
        var count = 0
        while true {
            request.options.gatewayAttempt = GatewayAttempt(count: count, logins: handlers.gatewayLogins)
            do { return try await send(request) } catch is GatewayLogin {
                count += 1
                // The request has the cookies of that login, also if the app has emptied the jar before it.
                request.options.call = request.options.call.map { OpenCall(id: $0.id, lastSignOut: SignOutClock.now) }
            }
        }
    }
}

extension GatewayResending: StreamingTransport where Base: StreamingTransport {
    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        try await resend(request) { try await base.stream($0, observer: observer) }
    }
}

/// An attempt of a request that may meet a gateway.
struct GatewayAttempt: Hashable, Sendable {
    /// The logins that the request has waited for.
    let count: Int
    /// The logins of all requests when this attempt began.
    let logins: Int
}

/// Thrown from ``GatewayKeeping`` to ``GatewayResending`` after a login.
struct GatewayLogin: Error {}

private enum GatewayAttemptKey: RequestOptionKey { static var defaultValue: GatewayAttempt? { nil } }

extension RequestOptions {
    /// The attempt of ``GatewayResending``; nil if its request is not sent again.
    var gatewayAttempt: GatewayAttempt? {
        get { self[GatewayAttemptKey.self] }
        set { self[GatewayAttemptKey.self] = newValue }
    }
}
