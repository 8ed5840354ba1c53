import Foundation

/// Measures subjects against baselines, in alternating runs.
struct Harness {
    var arguments: Arguments
    /// The rounds of a comparison, if not the usual number.
    var fixedRounds: Int?

    var rounds: Int { fixedRounds ?? (arguments.quick ? 1 : 15) }

    /// A number of operations, reduced for a quick run.
    func count(_ full: Int) -> Int { arguments.quick ? max(1, full / 20) : full }

    /// Whether all groups run.
    var runsAll: Bool { arguments.filters.isEmpty }

    func wants(_ group: String) -> Bool {
        runsAll || arguments.filters.contains { group.contains($0) }
    }

    /// Runs baseline and subject alternately, after one warm-up each.
    /// - Parameters:
    ///   - operations: the operations of one run.
    ///   - rounds: the number of rounds, if not the usual one.
    ///   - subject, baseline: perform `operations` operations.
    func compare(
        _ name: String, operations: Int, against baselineName: String, rounds: Int? = nil,
        subject: () async throws -> Void, baseline: () async throws -> Void
    ) async throws -> Figure {
        try await compareTimes(
            name, operations: operations, against: baselineName, rounds: rounds,
            subject: { try await seconds(subject) }, baseline: { try await seconds(baseline) })
    }

    /// As ``compare(_:operations:against:rounds:subject:baseline:)``, with runs that measure themselves, in seconds.
    func compareTimes(
        _ name: String, operations: Int, against baselineName: String, rounds: Int? = nil,
        subject: () async throws -> Double, baseline: () async throws -> Double
    ) async throws -> Figure {
        _ = try await baseline()
        _ = try await subject()
        var subjectTimes: [Double] = []
        var baselineTimes: [Double] = []
        for round in 0..<(rounds ?? self.rounds) {
            // Alternate the order, so that neither gains from running first.
            if round.isMultiple(of: 2) {
                baselineTimes.append(try await baseline())
                subjectTimes.append(try await subject())
            } else {
                subjectTimes.append(try await subject())
                baselineTimes.append(try await baseline())
            }
        }
        let ratios = zip(baselineTimes, subjectTimes).map { $0 / $1 }
        return Figure(
            name: name, baseline: baselineName, secondsPerOperation: subjectTimes.median / Double(operations),
            baselineSecondsPerOperation: baselineTimes.median / Double(operations), ratio: ratios.median,
            ratioMiddleHalf: [ratios.quantile(0.25), ratios.quantile(0.75)])
    }

    func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try await body()
        let (seconds, attoseconds) = (clock.now - start).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

extension Harness {
    /// The processor time of this process, in seconds: other processes on the machine change it little.
    private var processSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The processor time that a call takes, in seconds.
    func cpuSeconds(_ body: () throws -> Void) rethrows -> Double {
        let start = processSeconds
        try body()
        return processSeconds - start
    }

    /// The processor time that a call takes, in seconds.
    func cpuSeconds(_ body: () async throws -> Void) async rethrows -> Double {
        let start = processSeconds
        try await body()
        return processSeconds - start
    }
}

/// Runs an operation a number of times, with a fixed number in flight.
func repeating(
    _ operations: Int, inFlight: Int, _ operation: @escaping @Sendable () async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<inFlight {
            let share = operations / inFlight + (lane < operations % inFlight ? 1 : 0)
            group.addTask { for _ in 0..<share { try await operation() } }
        }
        try await group.waitForAll()
    }
}

extension [Double] {
    /// The median; 0 if empty.
    var median: Double { quantile(0.5) }

    /// The quantile with linear interpolation; 0 if empty.
    func quantile(_ part: Double) -> Double {
        let sorted = sorted()
        guard let last = sorted.last else { return 0 }
        let position = part * Double(count - 1)
        let index = Int(position)
        guard index + 1 < count else { return last }
        return sorted[index] + (sorted[index + 1] - sorted[index]) * (position - Double(index))
    }
}
