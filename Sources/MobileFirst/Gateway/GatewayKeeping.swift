import Authentication
import Coordination
import Delegation
import Foundation
import HTTPMessages
import ResponseDecoding
import Transport

/// A layer that offers responses to the handlers of gateways, and throws ``GatewayLogin`` after a login.
///
/// Responses of MobileFirst itself are not offered. It sees redirects, which may carry the login page; the layer above
/// them, ``GatewayResending``, sends the request again.
struct GatewayKeeping<Base: StreamingTransport>: StreamingTransport {
    /// The maximum number of logins of one request: a gateway that responds with its login page after each login would
    /// not end.
    private static var maximumLogins: Int { 4 }
    /// The bytes of a stream that the handlers see, which is enough to recognize a login page.
    private static var peekedBytes: Int { 256 << 10 }

    let base: Base
    let state: ClientState
    let handlers: HandlerRegistry

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let response = try await base.send(request, observer: observer)
        guard let attempt = request.options.gatewayAttempt else { return response }
        try await offer(response, to: request, attempt)
        return response
    }

    /// Streams a response. With handlers, the body of a status other than 2xx is read into memory first.
    ///
    /// Of a text, HTML, JSON or XML with status 2xx the handlers see the beginning, so that no login page is taken for
    /// the content. Of other types they see the head only.
    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        let response = try await base.stream(request, observer: observer)
        guard let attempt = request.options.gatewayAttempt else { return response }
        let (offered, stream) = try await peeked(response, of: request)
        try await offer(offered, to: request, attempt)
        return stream
    }

    /// The part of a streamed response that is offered, and the whole response.
    private func peeked(
        _ response: HTTPResponseStream, of request: HTTPRequest
    ) async throws -> (offered: HTTPResponse, stream: HTTPResponseStream) {
        guard response.status.isSuccessful else {
            let collected = try await response.collect(upTo: request.options.maximumResponseBytes)
            let body = AsyncStream { stream in
                if !collected.body.isEmpty { stream.yield(collected.body) }
                stream.finish()
            }
            return (collected, HTTPResponseStream(head: collected.head, body: body))
        }
        guard response.mediaType.map(Self.mayBePage) ?? true else {
            return (HTTPResponse(head: response.head, body: Data()), response)
        }
        let (beginning, body) = try await PeekedBody.peek(response.body, Self.peekedBytes)
        return (
            HTTPResponse(head: response.head, body: beginning), HTTPResponseStream(head: response.head, body: body)
        )
    }

    /// Whether a response of a type may be a login page. A stream of events is not one.
    private static func mayBePage(_ type: MediaType) -> Bool {
        let name = "\(type.type)/\(type.subtype)".lowercased()
        if name.hasPrefix("text/") { return name != "text/event-stream" }
        return ["json", "xml"].contains { name.hasSuffix("/\($0)") || name.hasSuffix("+\($0)") }
    }

    /// Offers a response to the handlers, and waits for the one that claims it.
    ///
    /// If there was a login since the attempt began, that is enough.
    /// - Throws: ``GatewayLogin`` if the call's request is to be sent again.
    private func offer(_ response: HTTPResponse, to request: HTTPRequest, _ attempt: GatewayAttempt) async throws {
        guard !isOfMobileFirst(response, to: request) else { return }
        let offered = WLResponse(response)
        let claimant = await claimant(among: handlers.gateways, of: offered)
        if Task.isCancelled { throw TransportError.cancelled(request) }
        guard let box = claimant else { return }
        // A later login is that of the next user.
        try checkSession(of: request)
        guard !RunningWork.isCurrent(of: box.handler.challenge) else {
            throw WLError.calledByHandler(box.handler.name)
        }
        guard attempt.count < Self.maximumLogins else {
            throw WLError(
                .authorization,
                "The gateway \(box.handler.name) still responds with its challenge after \(attempt.count) logins; "
                    + "check its credentials and cookies.", response: offered)
        }
        guard handlers.gatewayLogins == attempt.logins else { throw GatewayLogin() }
        let outcome = try await box.handler.challenge.wait { [delivery = state.delivery] question in
            delivery.callBack(for: question) {
                // The challenge may have ended before the callback runs: its login would go to the next server.
                if question.isUnfinished { box.handler.handleChallenge(offered) }
            }
        }
        if Task.isCancelled { throw TransportError.cancelled(request) }
        switch outcome {
        case .resend:
            // The challenge may have begun while the session ended, and the next user has logged in.
            try checkSession(of: request)
            throw GatewayLogin()
        case .sessionEnded: throw WLError.sessionEnded
        case .cancel:
            throw WLError(
                .challengeCancelled,
                "CHALLENGE_HANDLING_CANCELED: the handler of the gateway \(box.handler.name) cancelled the challenge.",
                response: offered)
        }
    }

    /// - Throws: ``WLError`` (`cancelled`) if the session in which the app made the call has ended.
    private func checkSession(of request: HTTPRequest) throws(WLError) {
        if let session = request.options.session, session != state.session { throw WLError.sessionEnded }
    }

    /// The first handler that claims a response; nil without one, and if the task is cancelled.
    private func claimant(
        among gateways: [HandlerRegistry.Box<GatewayChallengeHandler>], of response: WLResponse
    ) async -> HandlerRegistry.Box<GatewayChallengeHandler>? {
        guard !Task.isCancelled else { return nil }
        let claimant = Promise<HandlerRegistry.Box<GatewayChallengeHandler>?>()
        state.delivery.callBack { claimant.fulfill(gateways.first { $0.handler.canHandle(response) }) }
        // The handlers may be asked late.
        return await claimant.value { claimant.fulfill(nil) }
    }

    /// True for a challenge, a conflict or an authorization of the server itself.
    ///
    /// Also for what its authorization endpoints respond with, such as a token, regardless of its media type.
    private func isOfMobileFirst(_ response: HTTPResponse, to request: HTTPRequest) -> Bool {
        let head = response.head
        if head.isConflictOfMobileFirst { return true }
        switch head.status {
        case let status where request.options.skipsAuthorization && (status.isSuccessful || status == .badRequest):
            return response.body.isEmpty || Self.isOfAuthorization(response)
        case .unauthorized, .forbidden:
            return head.isChallengeOfMobileFirst || head.challenges.contains { $0.scheme == "bearer" }
                || PreauthorizationResponse(response).isFailure
        default:
            return head.fields[.location]?.hasPrefix(state.configuration.redirectURI) == true
        }
    }
}

extension GatewayKeeping {
    /// True for a JSON object that an authorization endpoint may have sent: an empty one, or one with its members.
    private static func isOfAuthorization(_ response: HTTPResponse) -> Bool {
        guard let object = (try? JSONValue(parsing: response.jsonBody))?.object else { return false }
        let members = [
            "successes", "challenges", "failures", "access_token", "refresh_token", "error", "errorCode", "device",
            "application", "attributes",
        ]
        return object.isEmpty || members.contains { object[$0] != nil }
    }
}

extension PreauthorizationResponse {
    fileprivate var isFailure: Bool { if case .failures = self { true } else { false } }
}
