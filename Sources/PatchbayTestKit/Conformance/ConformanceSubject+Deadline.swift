import Transport

/// Thrown by a case when a deadline in real time has passed before what was to happen first.
struct EarlyDeadline: Error {}

extension ConformanceSubject {
    /// Does something with a transport whose requests a service answers, and with a deadline: 30 seconds on
    /// ``ConformanceRig/clock`` where there is one.
    ///
    /// A deadline in real time also passes while the machine does other things. So it is short at first, and is tried
    /// again eight times as long when `body` throws ``EarlyDeadline``.
    /// - Parameter fault: the fault of a request by its number, counted from 0, and the deadline.
    func servingWithDeadline(
        _ service: some HTTPService, fault: @escaping @Sendable (Int, Duration) -> Fault?,
        body: (ConformanceRig, Duration) async throws -> Void
    ) async throws {
        if abilities.contains(.clock) {
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
        throw ConformanceFailure("deadlines pass before their time, or the machine is too busy to tell")
    }
}
