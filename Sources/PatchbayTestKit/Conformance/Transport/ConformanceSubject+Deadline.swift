import Transport

/// Thrown by a case when a deadline in real time passed too early, so the case proved nothing.
struct EarlyDeadline: Error {}

extension ConformanceSubject {
    /// Runs `body` with a transport to a service and a timeout: 30 seconds on ``ConformanceRig/clock`` if there is one.
    ///
    /// A timeout in real time may pass early on a busy machine. So it starts short, and grows eightfold each time
    /// `body` throws ``EarlyDeadline``.
    /// - Parameter fault: the fault of a request by its number, from 0, and the timeout.
    func servingWithDeadline(
        _ service: some HTTPService, fault: @escaping @Sendable (Int, Duration) -> Fault?,
        body: (ConformanceRig, Duration) async throws -> Void
    ) async throws {
        if capabilities.contains(.clock) {
            let limit = Duration.seconds(30)
            return try await serving(service, faults: { fault($0, limit) }, movesClock: true) { rig in
                try await body(rig, limit)
            }
        }
        for limit in [Duration.milliseconds(200), .milliseconds(1600), .milliseconds(12_800)] {
            do {
                return try await serving(service, faults: { fault($0, limit) }) { try await body($0, limit) }
            } catch is EarlyDeadline {}
        }
        throw ConformanceFailure("timeouts pass early, or the machine is too busy to tell")
    }
}
