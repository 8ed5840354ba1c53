import Foundation

/// Compares a subject with its peer, in alternating rounds.
public struct Rounds {
    private static let count = 9

    /// Runs both in turn, after one warm-up each, and prints the median of the ratios; above 1 the subject is better.
    /// - Parameters:
    ///   - subject, peer: return the cost of one round, such as its time.
    public static func compare(
        _ name: String, against peerName: String, subject: () async throws -> Double, peer: () async throws -> Double
    ) async rethrows {
        _ = try await peer()
        _ = try await subject()
        var ratios: [Double] = []
        for _ in 0..<count {
            let base = try await peer()
            ratios.append(base / (try await subject()))
        }
        print("\(name), against \(peerName): \(summary(of: ratios))")
    }

    /// Compares the time of both, and the processor time of this process, in the same rounds.
    public static func compareTimes(
        _ name: String, against peerName: String, subject: () async throws -> Void, peer: () async throws -> Void
    ) async rethrows {
        try await peer()
        try await subject()
        var (times, processorTimes): ([Double], [Double]) = ([], [])
        for _ in 0..<count {
            let (peerTime, peerProcessorTime) = try await costs(of: peer)
            let (time, processorTime) = try await costs(of: subject)
            times.append(peerTime / time)
            processorTimes.append(peerProcessorTime / processorTime)
        }
        print("\(name), against \(peerName): \(summary(of: times)); by processor time \(summary(of: processorTimes))")
    }

    /// The time that a call takes, in seconds.
    public static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// The processor time that a call takes in all threads of this process, in seconds.
    public static func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
        let start = clock()
        try body()
        return Double(clock() - start) / Double(CLOCKS_PER_SEC)
    }

    /// Runs a call a number of times, with a fixed number of calls in flight.
    public static func repeating(
        _ total: Int, inFlight: Int, _ call: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<inFlight {
                group.addTask { for _ in 0..<(total / inFlight) { try await call() } }
            }
            try await group.waitForAll()
        }
    }

    private static func costs(
        of body: () async throws -> Void
    ) async rethrows -> (seconds: Double, processorSeconds: Double) {
        let start = clock()
        let seconds = try await seconds(body)
        return (seconds, Double(clock() - start) / Double(CLOCKS_PER_SEC))
    }

    /// The median of ratios, and the range of the middle half.
    private static func summary(of ratios: [Double]) -> String {
        let ratios = ratios.sorted()
        let text = [ratios[ratios.count / 2], ratios[ratios.count / 4], ratios[ratios.count - 1 - ratios.count / 4]]
            .map { String(format: "%.2f", $0) }
        return "\(text[0]) (half of all rounds: \(text[1]) to \(text[2]))"
    }
}
