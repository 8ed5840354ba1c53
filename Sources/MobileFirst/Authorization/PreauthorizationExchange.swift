import Authentication
import Delegation
import HTTPMessages

/// The exchange that passes the security checks of a scope, with the handlers of their challenges.
struct PreauthorizationExchange {
    let requests: AuthorizationRequests
    let handlers: HandlerRegistry
    let servers: ClientState.Servers
    let registration: Registration

    /// - Parameter credentials: sent with the first request.
    /// - Returns: what the handlers are told, and the error if a check failed.
    func run(
        _ scope: String, credentials: [String: JSONValue]
    ) async throws -> (report: HandlerRegistry.Report, failure: WLError?) {
        let rounds = ChallengeRounds(handlers, delivery: requests.state.delivery)
        var action = rounds.handle(.start(credentials))
        var last: HTTPResponse?
        while true {
            switch action {
            case .send(let credentials):
                let response = try await send(scope, credentials)
                last = response
                action = rounds.handle(.response(PreauthorizationResponse(response)))
            case .challenge(let challenges):
                action = try await AuthorizationQueue.ask { await rounds.challenge(challenges) }
            case .succeed(let successes):
                return (.successes(successes), nil)
            case .fail(let failures):
                let checks = failures.keys.sorted().joined(separator: ", ")
                let error = WLError(
                    .authorization, "AUTHORIZATION_FAILURE: the security check failed: \(checks).",
                    response: last.map { WLResponse($0) })
                return (.failures(failures), error)
            case .missingHandler(let check):
                throw WLError(
                    .missingChallengeHandler,
                    "MISSING_CHALLENGE_HANDLER: no handler for the security check \(check); register one with "
                        + "WLClient.registerChallengeHandler at start.", response: last.map { WLResponse($0) })
            case .abort(_, .cancelled) where Task.isCancelled:
                throw CancellationError()
            case .abort(let check, .cancelled):
                throw WLError(
                    .challengeCancelled, "CHALLENGE_HANDLING_CANCELED: the handler of \(check) cancelled the challenge."
                )
            case .abort(let check, .invalidCredential(let reason)):
                throw WLError(.invalidRequest, "The credential for the challenge of \(check) is not JSON: \(reason)")
            case .unexpected, .wait, .ignore:
                throw last.map { WLError.refused($0, "preauthorization") }
                    ?? WLError(.internalError, "The preauthorization ended without a response.")
            }
        }
    }

    private func send(_ scope: String, _ credentials: [String: JSONValue]) async throws -> HTTPResponse {
        let response = try await requests.post(
            "preauth/v1/preauthorize", at: servers.server,
            json: [
                "client_id": .string(registration.clientID), "scope": .string(scope),
                "challengeResponse": .object(credentials),
            ])
        if let time = PreauthorizationResponse.serverTime(response) { requests.serverClock.synchronize(with: time) }
        return response
    }
}
