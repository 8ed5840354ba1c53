import HTTPMessages
import PatchbayTestKit
import Synchronization
import Transport

/// A token endpoint that numbers its tokens and replaces the refresh token with each use.
final class Issuer: Sendable {
    private struct State {
        var forms: [String] = []
        var refreshToken: String?
        var inFlight = 0
        var maximumInFlight = 0
    }

    private let state: Mutex<State>
    let gate: Gate

    init(refreshToken: String? = nil, gate: Gate = Gate(isOpen: true)) {
        state = Mutex(State(refreshToken: refreshToken))
        self.gate = gate
    }

    var forms: [String] { state.withLock { $0.forms } }
    var maximumInFlight: Int { state.withLock { $0.maximumInFlight } }

    func accept(_ refreshToken: String) { state.withLock { $0.refreshToken = refreshToken } }

    var transport: FakeTransport {
        FakeTransport { [self] request in
            let form = String(decoding: try await request.body.collect(), as: UTF8.self)
            state.withLock { state in
                state.forms.append(form)
                state.inFlight += 1
                state.maximumInFlight = max(state.maximumInFlight, state.inFlight)
            }
            try await gate.wait()
            return state.withLock { state in
                state.inFlight -= 1
                let number = state.forms.count
                guard form.contains("grant_type=refresh_token") else {
                    return request.response(json: ["access_token": .string("t\(number)"), "expires_in": 3600])
                }
                guard let expected = state.refreshToken, form.contains("refresh_token=\(expected)&") else {
                    return request.response(.badRequest, json: ["error": "invalid_grant"])
                }
                state.refreshToken = "r\(number)"
                return request.response(
                    json: [
                        "access_token": .string("t\(number)"), "expires_in": 3600,
                        "refresh_token": .string("r\(number)"),
                    ])
            }
        }
    }
}
