public import HTTPMessages

extension TransportError {
    /// One of several attempts to send a request: why it was not the last, or why the last one failed.
    ///
    /// It holds no secrets and no bodies.
    public struct Attempt: Hashable, Sendable, CustomStringConvertible {
        /// How an attempt ended.
        public enum Cause: Hashable, Sendable {
            /// With a response of this status.
            case status(HTTPStatus)
            /// With an error of this code and message.
            case failure(Code, String)
        }

        /// How it ended.
        public let cause: Cause
        /// The wait between its end and the next attempt, or nil when there was none to come.
        public var delay: Duration?

        /// An attempt that ended so.
        public init(_ cause: Cause, delay: Duration? = nil) {
            self.cause = cause
            self.delay = delay
        }

        /// The cause, and the wait after it.
        public var description: String {
            let text =
                switch cause {
                case .status(let status): "\(status)"
                case .failure(let code, let message): "\(message) [\(code)]"
                }
            return delay.map { "\(text), retried after \($0.secondsText)" } ?? text
        }
    }
}

extension [TransportError.Attempt] {
    /// The text of an error with the number of attempts and the time between them.
    package func ending(_ text: String) -> String {
        let attempts = count == 1 ? "1 attempt" : "\(count) attempts"
        let sentence = text.hasSuffix(".") ? text.dropLast() : text[...]
        let backoff = compactMap(\.delay).reduce(.zero, +)
        return "\(sentence), after \(attempts) with \(backoff.secondsText) of backoff."
    }
}
