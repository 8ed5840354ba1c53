public import HTTPMessages
import Synchronization

/// What tests read and set.
extension MobileFirstService {
    /// What the server did so far.
    public var counts: Counts { state.withLock { $0.counts } }

    /// The payloads of the registrations by client id: `device`, `application` and `attributes`.
    public var registrations: [String: JSONValue] { state.withLock { $0.clients.mapValues(\.registration) } }

    /// Makes all access tokens invalid. Refresh tokens and successes of checks stay.
    public func expireTokens() { state.withLock { $0.tokens = [:] } }

    /// Makes all refresh tokens invalid.
    public func expireRefreshTokens() { state.withLock { $0.refreshTokens = [:] } }

    /// Ends all successes and blocks of security checks; each check has all attempts again.
    public func resetChecks() {
        state.withLock { state in
            for id in state.clients.keys { state.clients[id]?.checks = [:] }
        }
    }

    /// Forgets all clients, with their codes and tokens: they get `INVALID_CLIENT_ID`.
    public func forgetClients() {
        state.withLock { state in
            state.clients = [:]
            state.codes = [:]
            state.tokens = state.tokens.filter { $0.value.authorization.clientID == nil }
            state.refreshTokens = [:]
        }
    }

    /// Makes the next preauthorizations challenge for a check, which may be one outside of their scope.
    ///
    /// Credentials in these requests are ignored. The challenge has no `remainingAttempts`.
    public func challengeNext(_ count: Int = 1, for check: String) {
        force(ForcedOutcome(count: count, check: check, failure: nil))
    }

    /// Makes the next preauthorizations fail with 403 for a check, which may be one outside of their scope.
    /// - Parameter failure: the failure object; default `{"failure": "Account blocked"}`.
    public func failNext(
        _ count: Int = 1, for check: String, with failure: JSONValue = ["failure": "Account blocked"]
    ) {
        force(ForcedOutcome(count: count, check: check, failure: failure))
    }

    /// Blocks a check for all clients, as too many wrong credentials do.
    public func block(_ check: String) {
        guard let check = checks[check] else { return }
        let now = self.now
        state.withLock { state in
            for id in state.clients.keys {
                state.clients[id]?.checks[check.name, default: CheckState(check)].block(at: now)
            }
        }
    }

    /// Adds the challenge `directUpdate` to the preauthorizations of each client, until one of them has a credential of
    /// that name; nil ends that for all.
    public func requireDirectUpdate(_ details: JSONValue?) {
        state.withLock { state in
            state.directUpdate = details
            for id in state.clients.keys { state.clients[id]?.isUpdated = false }
        }
    }

    /// Replaces the target of authorization redirects, as a malicious or misconfigured server does; nil ends that.
    public func redirectAuthorizations(to target: String?) { state.withLock { $0.redirectTarget = target } }

    /// Replaces members of token responses, such as `expires_in`; nil removes a member, `[:]` ends all that.
    public func overrideTokenResponses(_ members: [String: JSONValue?]) {
        state.withLock { $0.tokenMembers = members }
    }

    /// Injects a fault into the next requests to an endpoint, after those injected before.
    public func inject(_ fault: EndpointFault, at endpoint: Endpoint, count: Int = 1) {
        state.withLock { $0.faults.inject(fault, at: endpoint, count: count) }
    }

    /// Ends all sessions of the gateway.
    public func closeGateway() { state.withLock { $0.gatewaySessions = [] } }

    private func force(_ outcome: ForcedOutcome) {
        guard outcome.count > 0 else { return }
        state.withLock { $0.forcedOutcomes.append(outcome) }
    }
}
