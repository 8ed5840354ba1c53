public import HTTPMessages

extension TransportError {
    /// The failure of one attempt, and the backoff before the next.
    ///
    /// It contains no secrets and no bodies.
    public struct AttemptRecord: Hashable, Sendable, CustomStringConvertible {
        /// Why an attempt was retried, or why the last one failed.
        @nonexhaustive public enum Cause: Hashable, Sendable {
            /// The response status.
            case status(HTTPStatus)
            /// The code and message of the error.
            case failure(Code, String)
            /// A layer rejected the attempt before anything was sent; its message and code.
            case notSent(String)
        }

        /// Why the attempt failed.
        public let cause: Cause
        /// The wait before the next attempt; nil after the last one.
        public var backoff: Duration?

        /// Records one attempt.
        public init(_ cause: Cause, backoff: Duration? = nil) {
            self.cause = cause
            self.backoff = backoff
        }

        /// The cause and the backoff.
        public var description: String {
            let text =
                switch cause {
                case .status(let status): "\(status)"
                case .failure(let code, let message): "\(message) [\(code)]"
                case .notSent(let reason): reason
                }
            return backoff.map { "\(text), retried after \($0.secondsText)" } ?? text
        }
    }
}

extension [TransportError.AttemptRecord] {
    /// An error text, followed by the number of attempts and the total backoff.
    package func appendingSummary(to text: String) -> String {
        let attempts = count == 1 ? "1 attempt" : "\(count) attempts"
        let sentence = text.hasSuffix(".") ? text.dropLast() : text[...]
        let backoff = compactMap(\.backoff).reduce(.zero, +)
        return "\(sentence), after \(attempts) with \(backoff.secondsText) of backoff."
    }
}
