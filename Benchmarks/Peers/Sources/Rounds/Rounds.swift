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
        ratios.sort()
        let text = [ratios[count / 2], ratios[count / 4], ratios[count - 1 - count / 4]]
            .map { String(format: "%.2f", $0) }
        print("\(name), against \(peerName): \(text[0]) (half of all rounds: \(text[1]) to \(text[2]))")
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
}
