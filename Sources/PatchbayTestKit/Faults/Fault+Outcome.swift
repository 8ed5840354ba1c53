import Foundation
import HTTPMessages
import Transport

extension Fault {
    /// The result of a request under this fault, and its time.
    struct Outcome: Sendable {
        /// What arrives before the end, piece by piece.
        struct Arrival: Sendable {
            /// The head, and the bytes that arrive.
            var response: HTTPResponse
            var pieceSize = Int.max
            var pause = Duration.zero
        }

        /// The time after the request's arrival; nil when only cancellation ends the request.
        var delay: Duration? = .zero
        var result: Result<HTTPResponse, TransportError>
        /// Nil if the whole response arrives at once, or nothing of it.
        var arrival: Arrival?
    }

    /// True when nothing of the service's response is sent.
    var replacesResponse: Bool {
        switch self {
        case .reset(.beforeHead), .close(.beforeHead), .stall(.beforeHead), .status: true
        default: false
        }
    }

    /// The outcome of a request under this fault, as a transport reports it.
    /// - Parameter response: the service's response without the fault.
    func outcome(of response: HTTPResponse, for request: HTTPRequest) -> Outcome {
        let timeouts = request.options.timeouts
        let isWhole = response.body.isEmpty
        func failed(_ code: TransportError.Code, _ message: String, after received: HTTPResponse?) -> Outcome {
            let error = TransportError(
                code, message, request: request, head: received?.head, bodyPrefix: received?.body ?? Data())
            return Outcome(result: .failure(error), arrival: received.map { Outcome.Arrival(response: $0) })
        }
        switch self {
        case .status(let status):
            return Outcome(result: .success(request.response(status)))
        case .latency(let duration):
            return Outcome(delay: duration, result: .success(response))
                .limited(by: timeouts.response, .response, for: request)
                .limited(by: timeouts.total, .total, for: request)
        case .stall(let position):
            if position == .inBody, isWhole { break }
            let isInBody = position == .inBody
            let arrival = isInBody ? Outcome.Arrival(response: response.halved) : nil
            return Outcome(delay: nil, result: .success(response), arrival: arrival)
                .limited(by: isInBody ? timeouts.idle : timeouts.response, isInBody ? .idle : .response, for: request)
                .limited(by: timeouts.total, .total, for: request)
        case .drip(let size, let pause):
            let pauses = isWhole ? 0 : (response.body.count - 1) / max(1, size)
            let arrival = Outcome.Arrival(response: response, pieceSize: max(1, size), pause: pause)
            var outcome = Outcome(
                delay: pause * pauses, result: .success(response), arrival: isWhole ? nil : arrival)
            if pauses > 0, let idle = timeouts.idle, pause >= idle {
                outcome = outcome.limited(by: idle, .idle, for: request)
            }
            return outcome.limited(by: timeouts.total, .total, for: request)
        case .reset(.inBody), .close(.inBody), .overstatedLength, .understatedLength:
            if isWhole { break }
            switch self {
            case .reset: return failed(.connectionLost, "Connection reset by peer.", after: response.halved)
            case .understatedLength:
                return Outcome(result: .success(response.halved.stating(length: response.halved.body.count)))
            case .overstatedLength:
                let stated = response.stating(length: response.body.count + 1)
                return failed(.truncated, "Connection closed before the end of the body.", after: stated)
            default: return failed(.truncated, "Connection closed before the end of the body.", after: response.halved)
            }
        case .reset, .close:
            return failed(.connectionLost, "Connection closed before the end of the response head.", after: nil)
        }
        return Outcome(result: .success(response))
    }
}

extension Fault.Outcome {
    /// True if no error comes before a time.
    func isRunning(at time: Duration) -> Bool {
        guard let delay, case .failure = result else { return true }
        return time < delay
    }

    /// This outcome, or a timeout that comes first.
    fileprivate func limited(by timeout: Duration?, _ phase: Timeouts.Phase, for request: HTTPRequest) -> Self {
        guard let timeout, delay.map({ $0 >= timeout }) ?? true else { return self }
        let whole = request.options.timeouts[phase] ?? timeout
        let error = TransportError.timedOut(phase, "Timed out after \(whole.secondsText).", request: request)
        return Self(delay: timeout, result: .failure(error), arrival: arrival)
    }
}
