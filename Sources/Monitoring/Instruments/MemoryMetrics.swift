import Synchronization

/// Measurements in memory, for tests and a page of an app.
public final class MemoryMetrics: MetricsRecorder {
    /// The values of one instrument with the same attributes.
    public struct Series: Hashable, Sendable {
        /// What is measured.
        public let instrument: MetricInstrument
        /// The attributes.
        public let attributes: [String: AttributeValue]
        /// The number of measurements.
        public internal(set) var count = 0
        /// Their sum.
        public internal(set) var sum = 0.0
        /// For each bucket the number of values up to its limit and beyond the one before; one more for the rest.
        public internal(set) var bucketCounts: [Int]
    }
    private struct Key: Hashable {
        let instrument: MetricInstrument
        let attributes: [String: AttributeValue]
    }

    private let series = Mutex<[Key: Series]>([:])

    /// No measurements.
    public init() {}

    /// All series.
    public var all: [Series] { series.withLock { Array($0.values) } }

    /// The series of an instrument whose attributes include the given ones.
    public func series(of instrument: MetricInstrument, _ attributes: [String: AttributeValue] = [:]) -> [Series] {
        all.filter { series in
            series.instrument == instrument && attributes.allSatisfy { series.attributes[$0.key] == $0.value }
        }
    }

    /// The sum over all series of an instrument.
    public func sum(of instrument: MetricInstrument) -> Double { series(of: instrument).reduce(0) { $0 + $1.sum } }

    /// Adds one to a counter.
    public func count(_ instrument: MetricInstrument, _ attributes: [String: AttributeValue]) {
        add(1, to: instrument, attributes)
    }

    /// Changes a sum.
    public func adjust(_ instrument: MetricInstrument, by delta: Int, _ attributes: [String: AttributeValue]) {
        add(Double(delta), to: instrument, attributes)
    }

    /// Adds a value to a distribution.
    public func record(_ value: Double, in instrument: MetricInstrument, _ attributes: [String: AttributeValue]) {
        add(value, to: instrument, attributes)
    }

    private func add(_ value: Double, to instrument: MetricInstrument, _ attributes: [String: AttributeValue]) {
        let bucket = instrument.buckets.firstIndex { value <= $0 } ?? instrument.buckets.count
        let empty = Series(
            instrument: instrument, attributes: attributes,
            bucketCounts: instrument.kind == .histogram ? Array(repeating: 0, count: instrument.buckets.count + 1) : [])
        series.withLock { all in
            let key = Key(instrument: instrument, attributes: attributes)
            all[key, default: empty].count += 1
            all[key, default: empty].sum += value
            if instrument.kind == .histogram { all[key, default: empty].bucketCounts[bucket] += 1 }
        }
    }
}
