import Authentication
import HTTPMessages
import Queueing
import Testing
import Transport

@testable import SignIn

@Suite struct DevicePollingTests {
    private func refusal(_ name: String) -> DevicePolling.Event {
        var error = AuthenticationError(.refused, "refused")
        error.oauthError = name
        return .failure(error)
    }

    private func text(_ step: DevicePolling.Step) -> String {
        switch step {
        case .ask(let time): "at \(time.components.seconds)"
        case .fail(let error as SignInError): "\(error.code)"
        case .fail(let error as AuthenticationError): "\(error.code)"
        case .fail(let error as TransportError): "\(error.code)"
        case .fail: "another error"
        }
    }

    private var lost: DevicePolling.Event { .failure(TransportError(.connectionLost, "lost")) }

    @Test func `the interval follows RFC 8628, section 3.5`() {
        var polling = DevicePolling(interval: nil, deadline: .seconds(100))
        #expect(text(polling.next(after: .start, now: .zero)) == "at 5")
        #expect(text(polling.next(after: refusal("authorization_pending"), now: .seconds(5))) == "at 10")
        #expect(text(polling.next(after: refusal("slow_down"), now: .seconds(10))) == "at 20")
        #expect(text(polling.next(after: refusal("authorization_pending"), now: .seconds(20))) == "at 30")
        #expect(text(polling.next(after: lost, now: .seconds(30))) == "at 50")
        #expect(text(polling.next(after: refusal("authorization_pending"), now: .seconds(90))) == "at 100")
        #expect(text(polling.next(after: refusal("authorization_pending"), now: .seconds(100))) == "deviceCodeExpired")
    }

    @Test func `a request that a layer has not sent is tried again, less often`() {
        var polling = DevicePolling(interval: 5, deadline: .seconds(100))
        let event = DevicePolling.Event.failure(AdmissionError(.circuitOpen, "Circuit open.", request: nil))
        #expect(text(polling.next(after: event, now: .zero)) == "at 10")
        let draining = DevicePolling.Event.failure(AdmissionError(.queueDraining, "Draining.", request: nil))
        #expect(text(polling.next(after: draining, now: .zero)) == "another error")
    }

    @Test func `other refusals end it, each with its error`() {
        let table: [(DevicePolling.Event, String)] = [
            (refusal("expired_token"), "deviceCodeExpired"), (refusal("access_denied"), "accessDenied"),
            (refusal("invalid_client"), "refused"), (.failure(TransportError(.cancelled, "c")), "cancelled"),
            (.failure(TransportError(.responseTooLarge, "c")), "responseTooLarge"),
            (.failure(AuthenticationError(.invalidTokenResponse, "t")), "invalidTokenResponse"),
            (.failure(CancellationError()), "another error"),
        ]
        for (event, outcome) in table {
            var polling = DevicePolling(interval: 5, deadline: .seconds(100))
            #expect(text(polling.next(after: event, now: .zero)) == outcome)
        }
    }

    @Test func `an interval of the server's is at least a second and at most an hour`() {
        for (interval, seconds) in [(0.0, 1), (-5.0, 1), (1e9, 3600), (2.0, 2)] {
            #expect(DevicePolling(interval: interval, deadline: .zero).interval == .seconds(seconds))
        }
    }
}
