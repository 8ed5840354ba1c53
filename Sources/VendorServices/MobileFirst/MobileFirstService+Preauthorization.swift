import HTTPMessages
import PatchbayTestKit
import Synchronization

extension MobileFirstService {
    func preauthorize(_ request: HTTPRequest) async throws -> HTTPResponse {
        try request.require(.post)
        let members = try await request.jsonObject()
        guard let id = members["client_id"]?.string else { throw Failure.invalidClientID }
        let credentials = (members["challengeResponse"]?.object ?? [:]).filter { !$0.value.isNull }
        let time = milliseconds, now = self.now
        let verdicts = verdicts(on: credentials, at: time)
        let outcomes = try outcomes(
            for: id, Scope(members["scope"]?.string), verdicts, isUpdated: credentials["directUpdate"] != nil, at: now)

        var successes: [String: JSONValue] = ["clockSynchronization": ["serverTimeStamp": .integer(time)]]
        var challenges: [String: JSONValue] = [:], failures: [String: JSONValue] = [:]
        for (check, outcome) in outcomes {
            switch outcome {
            case .passed(let identity): successes[check] = identity
            case .challenged(let challenge): challenges[check] = challenge
            case .failed(let failure): failures[check] = failure
            }
        }
        if !failures.isEmpty { return request.response(.forbidden, json: ["failures": .object(failures)]) }
        guard !challenges.isEmpty else { return request.response(json: ["successes": .object(successes)]) }
        var response = request.response(
            .unauthorized, json: ["challenges": .object(challenges), "successes": .object(successes)])
        try response.head.fields.set(.wwwAuthenticate, to: "MFP-Challenge")
        return response
    }

    func logOut(_ request: HTTPRequest) async throws -> HTTPResponse {
        try request.require(.post)
        let form = try await request.form()
        let id = try client(assertedBy: form, for: .nothing)
        guard let check = form["security_check"], checks[check] != nil else {
            throw Failure.invalidRequest("`security_check` is missing, or not the name of a security check")
        }
        state.withLock { $0.logOut(id, of: check) }
        return request.response()
    }

    func keepAlive(_ request: HTTPRequest) async throws -> HTTPResponse {
        try request.require(.post)
        _ = try client(assertedBy: try await request.form(), for: .nothing)
        return request.response()
    }

    /// The names of the checks that a scope requires, without duplicates.
    func checks(for scope: Scope) throws(Failure) -> [String] {
        var names: [String] = []
        for element in scope.elements where element != Scope.defaultName {
            guard let required = configuration.scopes[element] ?? (checks[element] == nil ? nil : [element]) else {
                throw .oauth("invalid_scope", "Unknown scope element; map it in `Configuration.scopes`")
            }
            names += required.filter { !names.contains($0) }
        }
        return names
    }

    /// The checks of a scope and of the mandatory one.
    func allChecks(for scope: Scope) throws(Failure) -> [String] {
        let own = try checks(for: scope)
        return own + (try checks(for: Scope(configuration.mandatoryScope))).filter { !own.contains($0) }
    }

    private func verdicts(on credentials: [String: JSONValue], at time: Int64) -> [String: CheckState.Verdict] {
        var verdicts: [String: CheckState.Verdict] = [:]
        for (name, credential) in credentials {
            guard let check = checks[name] else { continue }
            guard var identity = check.identity(credential)?.object else {
                verdicts[name] = .wrong
                continue
            }
            if var user = identity["user"]?.object {
                user["authenticatedAt"] = .integer(time)
                user["authenticatedBy"] = .string(name)
                identity["user"] = .object(user)
            }
            verdicts[name] = .right(.object(identity))
        }
        return verdicts
    }

    private func outcomes(
        for id: String, _ scope: Scope, _ verdicts: [String: CheckState.Verdict], isUpdated: Bool, at now: Duration
    ) throws(Failure) -> [String: CheckState.Outcome] {
        let required = try allChecks(for: scope)
        return try state.withLock { state throws(Failure) in
            guard state.clients[id] != nil else { throw .invalidClientID }
            var outcomes: [String: CheckState.Outcome] = [:]
            for name in Set(state.forcedOutcomes.map(\.check)) {
                outcomes[name] = state.nextForcedOutcome(of: name)
            }
            if isUpdated { state.clients[id]?.isUpdated = true }
            if let details = state.directUpdate, state.clients[id]?.isUpdated == false {
                outcomes["directUpdate"] = .challenged(details)
            }
            for name in required where outcomes[name] == nil {
                guard let check = checks[name] else { continue }
                outcomes[name] = state.clients[id]?.checks[name, default: CheckState(check)]
                    .receive(verdicts[name], at: now)
            }
            for (name, outcome) in outcomes {
                switch outcome {
                case .passed: break
                case .challenged: state.counts.challenges[name, default: 0] += 1
                case .failed: state.counts.failures[name, default: 0] += 1
                }
            }
            return outcomes
        }
    }
}
