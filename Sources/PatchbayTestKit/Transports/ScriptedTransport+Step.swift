public import Foundation
public import HTTPMessages
public import Transport

extension ScriptedTransport {
    /// The response, or the failure, for one request.
    public struct Step: Sendable {
        let handler: @Sendable (HTTPRequest) async throws -> HTTPResponse

        /// Creates a step from a closure; an error it throws is the error of `send`.
        public init(_ handler: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
            self.handler = handler
        }

        /// A response.
        public static func response(
            _ status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields(), body: Data = Data()
        ) -> Step {
            Step { $0.response(status, fields: fields, body: body) }
        }

        /// A response without fields or body.
        public static func status(_ status: HTTPStatus) -> Step { response(status) }

        /// A response with a text.
        public static func text(
            _ text: String, status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields()
        ) -> Step {
            Step { $0.response(status, fields: fields, text: text) }
        }

        /// A response with JSON.
        /// - Parameter value: a text, also one that holds JSON, is a JSON string; ``text(_:status:fields:)`` sends it
        ///   as it is.
        public static func json(
            _ value: JSONValue, status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields()
        ) -> Step {
            Step { $0.response(status, fields: fields, json: value) }
        }

        /// The response of a service.
        public static func service(_ service: some HTTPService) -> Step {
            Step { await service.framedResponse(to: $0) }
        }

        /// A failure of the transport.
        public static func failure(_ code: TransportError.Code) -> Step {
            Step { throw TransportError(code, "The script fails here.", request: $0) }
        }

        /// A failure with any error.
        public static func failure(_ error: any Error) -> Step { Step { _ in throw error } }

        /// No response until the request is cancelled.
        ///
        /// There is no clock, so no timeout of the request ends it: a ``service(_:with:clock:)`` that stalls has one.
        public static let never = after(Gate(), .status(.ok))

        /// A step that waits for a gate to open.
        public static func after(_ gate: Gate, _ step: Step) -> Step {
            Step { request in
                try await gate.wait()
                return try await step.handler(request)
            }
        }

        /// A step after a delay, or `timedOut` if the request's timeout for the response or the total one is shorter.
        /// - Parameter clock: times the delay and the timeouts; with a ``ManualClock`` the test controls it.
        public static func after(
            _ duration: Duration, on clock: any Clock<Duration>, _ step: Step
        ) -> Step {
            Step { request in
                let outcome = Fault.latency(duration).outcome(of: request.response(), for: request)
                try await clock.sleep(for: outcome.delay ?? duration)
                _ = try outcome.result.get()
                return try await step.handler(request)
            }
        }
    }
}
