import HTTPMessages
import Transport

/// Thresholds and times of a circuit breaker.
public struct CircuitPolicy: Sendable {
    /// The failures that open a circuit.
    public struct Threshold: Hashable, Sendable {
        /// The fewest failures within the window; 1 or more.
        public var failures: Int
        /// The smallest fraction of failures among all calls in the window, from 0 to 1.
        public var ratio: Double
        /// The length of the sliding window; it moves in tenths.
        public var window: Duration

        /// A number of failures within a window, regardless of successes.
        public static func failures(_ count: Int, within window: Duration) -> Threshold {
            Threshold(failures: count, ratio: 0, window: window)
        }

        /// A fraction of failures within a window, and a minimum number of them.
        public static func ratio(_ ratio: Double, failures: Int, within window: Duration) -> Threshold {
            Threshold(failures: failures, ratio: ratio, window: window)
        }
    }

    /// The failures that open a circuit; default half of the calls within ten seconds, and at least five.
    public var threshold: Threshold
    /// The time before an open circuit becomes half-open; default 30 seconds.
    public var openDuration: Duration
    /// The most concurrent calls of a half-open circuit, and the successes that close it; default 1.
    public var halfOpenCalls: Int
    /// Classifies responses and errors as failures of the server; called on any thread.
    public var isFailure: @Sendable (AttemptResult.Outcome) -> Bool

    /// A policy with the defaults of its properties.
    public init(
        threshold: Threshold = .ratio(0.5, failures: 5, within: .seconds(10)), openDuration: Duration = .seconds(30),
        halfOpenCalls: Int = 1,
        isFailure: @escaping @Sendable (AttemptResult.Outcome) -> Bool = CircuitPolicy.isServerFailure
    ) {
        self.threshold = threshold
        self.openDuration = openDuration
        self.halfOpenCalls = halfOpenCalls
        self.isFailure = isFailure
    }

    /// True for every 5xx, every timeout and transient errors (`TransportError.isTransient`).
    ///
    /// False for requests that a layer below refused to send, for a timeout in the engine's own queue,
    /// and for one because of a limit of the bandwidth.
    public static let isServerFailure: @Sendable (AttemptResult.Outcome) -> Bool = { outcome in
        switch outcome {
        case .response(let head): head.status.kind == .serverError
        case .failure(let error): error.isServerFailure
        case .rejection: false
        }
    }
}
