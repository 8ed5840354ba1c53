public import Foundation
public import HTTPMessages
public import Transport

extension ScriptedTransport {
    /// How one request is answered.
    public struct Step: Sendable {
        let answer: @Sendable (HTTPRequest) async throws -> HTTPResponse

        /// Answers with a closure; what it throws is the error of the call.
        public init(_ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) { self.answer = answer }

        /// A response.
        public static func response(
            _ status: HTTPStatus = .ok, fields: HTTPFields = HTTPFields(), body: Data = Data()
        ) -> Step {
            Step { $0.reply(status, fields: fields, body: body) }
        }

        /// A response without fields and body.
        public static func status(_ status: HTTPStatus) -> Step { response(status) }

        /// A response with a text.
        public static func text(_ text: String, status: HTTPStatus = .ok) -> Step {
            Step { $0.reply(status, text: text) }
        }

        /// A response with JSON.
        public static func json(_ value: JSONValue, status: HTTPStatus = .ok) -> Step {
            Step { $0.reply(status, json: value) }
        }

        /// The answer of a service.
        public static func service(_ service: some HTTPService) -> Step { Step { await service.answer($0) } }

        /// A failure of the transport.
        public static func failure(_ code: TransportError.Code) -> Step {
            Step { throw TransportError(code, "The script fails here.", request: $0) }
        }

        /// A failure with an error of your own.
        public static func failure(_ error: any Error) -> Step { Step { _ in throw error } }

        /// No answer until the call is cancelled.
        public static let never = after(Gate(), .status(.ok))

        /// Another step, once a gate is open.
        public static func after(_ gate: Gate, _ step: Step) -> Step {
            Step { request in
                try await gate.wait()
                return try await step.answer(request)
            }
        }

        /// Another step, some time later.
        /// - Parameter clock: measures the time; a ``ManualClock`` leaves it to the test.
        public static func after(
            _ duration: Duration, on clock: any Clock<Duration>, _ step: Step
        ) -> Step {
            Step { request in
                try await clock.sleep(for: duration)
                return try await step.answer(request)
            }
        }
    }
}
