/// Measures subjects against baselines, in turn.
struct Harness {
    let arguments: Arguments

    var rounds: Int { arguments.quick ? 1 : 7 }

    /// A number of operations, cut down for a short run.
    func count(_ full: Int) -> Int { arguments.quick ? max(1, full / 20) : full }

    func wants(_ name: String) -> Bool { arguments.filter.map(name.contains) ?? true }

    /// Runs baseline and subject in turn, after one warm-up each.
    /// - Parameters:
    ///   - operations: how many operations one run makes.
    ///   - subject, baseline: make `operations` operations.
    func compare(
        _ name: String, operations: Int, against baselineName: String,
        subject: () async throws -> Void, baseline: () async throws -> Void
    ) async throws -> Figure {
        try await compareTimes(
            name, operations: operations, against: baselineName, subject: { try await seconds(subject) },
            baseline: { try await seconds(baseline) })
    }

    /// Does what ``compare(_:operations:against:subject:baseline:)`` does with runs that take their own time, in seconds.
    func compareTimes(
        _ name: String, operations: Int, against baselineName: String,
        subject: () async throws -> Double, baseline: () async throws -> Double
    ) async throws -> Figure {
        _ = try await baseline()
        _ = try await subject()
        var subjectTimes: [Double] = []
        var baselineTimes: [Double] = []
        for round in 0..<rounds {
            // Each goes first as often as second, or nearly so.
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
            ratioRange: [ratios.min() ?? 0, ratios.max() ?? 0])
    }

    func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try await body()
        let (seconds, attoseconds) = (clock.now - start).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

extension [Double] {
    /// The middle one; 0 when there is none.
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
