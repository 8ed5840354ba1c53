import HTTPMessages
import Transport

/// When a circuit opens, and how it closes again.
public struct CircuitPolicy: Sendable {
    /// How many failures open a circuit.
    public struct Threshold: Hashable, Sendable {
        /// The failures within the window that it takes at least, 1 or more.
        public var failures: Int
        /// The part of all calls in the window that they have to be, from 0 to 1.
        public var ratio: Double
        /// The time that is looked back on, to a tenth of it.
        public var window: Duration

        /// So many failures within a time, whatever succeeds meanwhile.
        public static func failures(_ count: Int, within window: Duration) -> Threshold {
            Threshold(failures: count, ratio: 0, window: window)
        }

        /// So large a part of the calls within a time, and so many failures at least.
        public static func ratio(_ ratio: Double, failures: Int, within window: Duration) -> Threshold {
            Threshold(failures: failures, ratio: ratio, window: window)
        }
    }

    /// How many failures open a circuit; default half of the calls within ten seconds, and five of them at least.
    public var threshold: Threshold
    /// How long an open circuit lets nothing through; default 30 seconds.
    public var openTime: Duration
    /// How many calls are let through at a time after that, and how many have to succeed before all are; default 1.
    public var probes: Int
    /// What counts as a failure of the server; called on any thread.
    public var isFailure: @Sendable (EndedAttempt.Outcome) -> Bool

    /// A policy; what is left out has its default.
    public init(
        threshold: Threshold = .ratio(0.5, failures: 5, within: .seconds(10)), openTime: Duration = .seconds(30),
        probes: Int = 1, isFailure: @escaping @Sendable (EndedAttempt.Outcome) -> Bool = CircuitPolicy.isServerFailure
    ) {
        self.threshold = threshold
        self.openTime = openTime
        self.probes = probes
        self.isFailure = isFailure
    }

    /// True for every 5xx, for failures that pass (`TransportError.isTransient`) and for every deadline that passed once
    /// the request was sent.
    public static let isServerFailure: @Sendable (EndedAttempt.Outcome) -> Bool = { outcome in
        switch outcome {
        case .response(let head): head.status.kind == .serverError
        case .failure(let error):
            error.isTransient || error.code == .timedOut && error.phase != .turn
        }
    }
}
