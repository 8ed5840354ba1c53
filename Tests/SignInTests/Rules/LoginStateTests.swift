import Authentication
import Foundation
import HTTPMessages
import RequestModel
import Testing

@testable import SignIn

/// A request to an issuer, and the response that it wants.
struct LoginFixture {
    let request: AuthorizationRequest

    init(promisesIssuer: Bool = false, extra: [String: String] = [:], redirectURI: String = "com.example:/in") throws {
        var random = SystemRandomNumberGenerator()
        request = try AuthorizationRequest(
            metadata: OAuthServerMetadata(
                document: [
                    "issuer": "https://a.example", "token_endpoint": "https://a.example/token",
                    "authorization_response_iss_parameter_supported": .bool(promisesIssuer),
                ]), redirectURI: redirectURI, scope: "orders", extra: extra, random: &random)
    }

    func response(_ more: KeyValuePairs<String, String?> = ["code": "c0de"]) -> Query {
        Query([("state", request.state)]).appending(Query(more))
    }
}

@Suite struct LoginStateTests {
    private enum Step: CaseIterable {
        case response, denied, otherState, noState, twoStates, closed, end
    }

    private func run(_ steps: [Step]) throws -> [String] {
        let fixture = try LoginFixture()
        var state = LoginState(fixture.request)
        return steps.map { step in
            let event: LoginState.Event =
                switch step {
                case .response: .response(fixture.response())
                case .denied: .response(fixture.response(["error": "access_denied"]))
                case .otherState: .response(["code": "c0de", "state": "other"])
                case .noState: .response(["error": "access_denied"])
                case .twoStates: .response(fixture.response(["code": "c0de", "state": "other"]))
                case .closed: .failure(.windowClosed)
                case .end: .end
                }
            return switch state.handle(event) {
            case .exchange(let code): code
            case .fail(let error): "fails \(error.code)"
            case .refuse(let error): "\(error.code)"
            case .none: "-"
            }
        }
    }

    @Test func `each event in each state has one outcome`() throws {
        let table: [([Step], [String])] = [
            ([.response, .response], ["c0de", "duplicateResponse"]),
            ([.response, .otherState, .closed, .end], ["c0de", "duplicateResponse", "-", "-"]),
            ([.response, .end, .response, .closed], ["c0de", "-", "duplicateResponse", "-"]),
            // A foreign response does not end the sign-in.
            ([.otherState, .response, .otherState], ["stateMismatch", "c0de", "duplicateResponse"]),
            ([.noState, .twoStates, .response], ["stateMismatch", "stateMismatch", "c0de"]),
            ([.otherState, .closed, .response], ["stateMismatch", "fails windowClosed", "lateResponse"]),
            ([.denied, .response, .end], ["fails accessDenied", "duplicateResponse", "-"]),
            ([.closed, .response, .closed, .end], ["fails windowClosed", "lateResponse", "-", "-"]),
            ([.end, .response, .otherState], ["-", "lateResponse", "lateResponse"]),
        ]
        for (steps, outcomes) in table { #expect(try run(steps) == outcomes, "\(steps)") }
    }

    @Test func `a sign-in completes at most once, in any order of events`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let steps = (0..<6).compactMap { _ in Step.allCases.randomElement(using: &generator) }
            let completions = try run(steps).filter { $0 == "c0de" || $0.hasPrefix("fails") }
            #expect(completions.count <= 1, "\(steps)")
        }
    }
}
