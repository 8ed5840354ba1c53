/// Bytes per second over a sliding window: a FIFO of samples, without a clock of its own.
struct TransferRate: Hashable, Sendable {
    /// The length of the window.
    static let window = Duration.seconds(5)
    /// Samples closer than this are merged, so that their number is limited.
    private static let resolution = Duration.milliseconds(100)

    private struct Sample: Hashable, Sendable {
        var time: Duration
        var bytes: Int64
    }

    private var samples: [Sample] = []

    /// Notes the bytes that have been transferred until a time. Fewer than before, as after a retry, start over.
    mutating func add(_ bytes: Int64, at time: Duration) {
        if let last = samples.last, bytes < last.bytes { samples = [] }
        if samples.count > 1, time - samples[samples.count - 2].time < Self.resolution { samples.removeLast() }
        samples.append(Sample(time: time, bytes: bytes))
        samples.removeFirst(samples.firstIndex { time - $0.time <= Self.window } ?? 0)
    }

    /// Bytes per second until a time; nil before there are two samples.
    func bytesPerSecond(at time: Duration) -> Double? {
        guard let first = samples.first, let last = samples.last, samples.count > 1 else { return nil }
        // Until now, so that the rate of a stalled transfer falls.
        let elapsed = max(time, last.time) - first.time
        return elapsed > .zero ? Double(last.bytes - first.bytes) / (elapsed / .seconds(1)) : nil
    }
}
