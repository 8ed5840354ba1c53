import Foundation
import HTTPMessages
import Transport

extension Fault {
    /// How a call ends that meets this fault, and when.
    struct Ending {
        /// How long after the request had arrived; nil when nothing ends the call but its cancellation.
        var delay: Duration? = .zero
        var result: Result<HTTPResponse, TransportError>
    }

    /// True when the fault leaves nothing of the service's answer.
    var replacesAnswer: Bool {
        switch self {
        case .reset(.beforeHead), .close(.beforeHead), .stall(.beforeHead), .status: true
        default: false
        }
    }

    /// How a transport ends a call that meets this fault.
    /// - Parameter response: what the service would have answered.
    func ending(of response: HTTPResponse, for request: HTTPRequest) -> Ending {
        let timeouts = request.options.timeouts
        let isWhole = response.body.isEmpty
        func failed(_ code: TransportError.Code, _ message: String, withHead: Bool = true) -> Ending {
            Ending(
                result: .failure(
                    TransportError(
                        code, message, request: request, head: withHead ? response.head : nil,
                        bodyPrefix: withHead ? response.halved.body : Data())))
        }
        switch self {
        case .status(let status):
            return Ending(result: .success(request.reply(status)))
        case .latency(let duration):
            return Ending(delay: duration, result: .success(response))
                .limited(by: timeouts.response, .response, for: request)
                .limited(by: timeouts.total, .total, for: request)
        case .stall(let place):
            if place == .inBody, isWhole { break }
            let isInBody = place == .inBody
            return Ending(delay: nil, result: .success(response))
                .limited(by: isInBody ? timeouts.idle : timeouts.response, isInBody ? .idle : .response, for: request)
                .limited(by: timeouts.total, .total, for: request)
        case .drip(let size, let pause):
            let pauses = isWhole ? 0 : (response.body.count - 1) / max(1, size)
            var ending = Ending(delay: pause * pauses, result: .success(response))
            if pauses > 0, let idle = timeouts.idle, pause >= idle {
                ending = ending.limited(by: idle, .idle, for: request)
            }
            return ending.limited(by: timeouts.total, .total, for: request)
        case .reset(.inBody), .close(.inBody), .overstatedLength, .understatedLength:
            if isWhole { break }
            switch self {
            case .reset: return failed(.connectionLost, "The connection broke.")
            case .understatedLength:
                return Ending(result: .success(response.halved.stating(length: response.halved.body.count)))
            default: return failed(.truncated, "The connection ended before the body did.")
            }
        case .reset, .close:
            return failed(.connectionLost, "The connection ended before the response's head did.", withHead: false)
        }
        return Ending(result: .success(response))
    }
}

extension Fault.Ending {
    /// This ending, or that of a deadline which comes before it.
    fileprivate func limited(by deadline: Duration?, _ phase: Timeouts.Phase, for request: HTTPRequest) -> Self {
        guard let deadline, delay.map({ $0 >= deadline }) ?? true else { return self }
        let error = TransportError(
            .timedOut, "The deadline of \(deadline) has passed.", request: request, phase: phase)
        return Self(delay: deadline, result: .failure(error))
    }
}
