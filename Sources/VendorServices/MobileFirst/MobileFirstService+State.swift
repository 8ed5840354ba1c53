import HTTPMessages

extension MobileFirstService {
    struct Client {
        let key: PublicKey
        /// The payload of the last registration.
        var registration: JSONValue
        var checks: [String: CheckState] = [:]
        /// True after an update that ``MobileFirstService/requireDirectUpdate(_:)`` required.
        var isUpdated = false
    }

    /// The rights of a code or token.
    struct Authorization {
        /// Nil for a confidential client.
        let clientID: String?
        let scope: Scope
        /// The security checks that the scope requires.
        let checks: [String]
        let username: String?
    }

    struct Grant {
        let authorization: Authorization
        let redirectURI: String
        let expiry: Duration
    }

    struct Token {
        let authorization: Authorization
        let expiry: Duration
    }

    /// A number of preauthorizations with a fixed outcome of one check.
    struct ForcedOutcome {
        var count: Int
        let check: String
        /// The failure; nil for a challenge.
        let failure: JSONValue?
    }

    struct State {
        var clients: [String: Client] = [:]
        var codes: [String: Grant] = [:]
        var tokens: [String: Token] = [:]
        var refreshTokens: [String: Token] = [:]
        var gatewaySessions: Set<String> = []
        var counts = Counts()
        // What tests set.
        var faults = InjectedFaults<Endpoint, EndpointFault>()
        var forcedOutcomes: [ForcedOutcome] = []
        var directUpdate: JSONValue?
        var redirectTarget: String?
        var tokenMembers: [String: JSONValue?] = [:]
    }
}

extension MobileFirstService.State {
    /// Counts a request, and returns the fault it gets.
    mutating func receive(_ endpoint: MobileFirstService.Endpoint) -> MobileFirstService.EndpointFault? {
        counts.requests[endpoint, default: 0] += 1
        return faults.next(at: endpoint)
    }

    /// The forced outcome of a check for this preauthorization, if any.
    mutating func nextForcedOutcome(of check: String) -> CheckState.Outcome? {
        guard let index = forcedOutcomes.firstIndex(where: { $0.check == check }) else { return nil }
        let outcome = forcedOutcomes[index]
        forcedOutcomes[index].count -= 1
        if outcome.count <= 1 { forcedOutcomes.remove(at: index) }
        return outcome.failure.map { .failed($0) } ?? .challenged(["errorMsg": nil])
    }

    /// Ends the success of a check for a client, and the tokens that depend on it.
    mutating func logOut(_ clientID: String, of check: String) {
        clients[clientID]?.checks[check]?.logOut()
        counts.logouts += 1
        let remains = { @Sendable (token: MobileFirstService.Token) in
            token.authorization.clientID != clientID || !token.authorization.checks.contains(check)
        }
        tokens = tokens.filter { remains($0.value) }
        refreshTokens = refreshTokens.filter { remains($0.value) }
    }

    mutating func removeExpired(at now: Duration) {
        codes = codes.filter { $0.value.expiry > now }
        tokens = tokens.filter { $0.value.expiry > now }
        refreshTokens = refreshTokens.filter { $0.value.expiry > now }
    }
}
