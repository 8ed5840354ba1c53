import Metrics
public import Monitoring
import Synchronization

extension EventSink {
    /// Measurements of calls for swift-metrics; bootstrap its `MetricsSystem` first.
    public static var swiftMetrics: EventSink { .metrics(SwiftMetrics()) }
}

/// Measurements for the backend of swift-metrics.
///
/// Counters, meters and recorders are made once for each set of attributes, of which there are few.
public final class SwiftMetrics: MetricsRecorder {
    private struct Key: Hashable {
        let name: String
        let attributes: [String: Monitoring.AttributeValue]
    }
    private enum Handle {
        case counter(Counter)
        case meter(Meter, sum: Int)
        case recorder(Recorder)
    }

    private let handles = Mutex<[Key: Handle]>([:])

    /// Uses the backend of the process.
    public init() {}

    /// Adds one to a `Counter`.
    public func count(_ instrument: MetricInstrument, _ attributes: [String: Monitoring.AttributeValue]) {
        handles.withLock { handles in
            let key = Key(name: instrument.name, attributes: attributes)
            if case .counter(let counter) = handles[key] { return counter.increment() }
            let counter = Counter(label: instrument.name, dimensions: attributes.dimensions)
            handles[key] = .counter(counter)
            counter.increment()
        }
    }

    /// Sets a `Meter` to the sum.
    public func adjust(_ instrument: MetricInstrument, by delta: Int, _ attributes: [String: Monitoring.AttributeValue])
    {
        handles.withLock { handles in
            let key = Key(name: instrument.name, attributes: attributes)
            var (meter, sum) = (nil as Meter?, 0)
            if case .meter(let known, let before) = handles[key] { (meter, sum) = (known, before) }
            let used = meter ?? Meter(label: instrument.name, dimensions: attributes.dimensions)
            handles[key] = .meter(used, sum: sum + delta)
            used.set(sum + delta)
        }
    }

    /// Adds a value to a `Recorder` that aggregates.
    public func record(
        _ value: Double, in instrument: MetricInstrument, _ attributes: [String: Monitoring.AttributeValue]
    ) {
        handles.withLock { handles in
            let key = Key(name: instrument.name, attributes: attributes)
            if case .recorder(let recorder) = handles[key] { return recorder.record(value) }
            let recorder = Recorder(label: instrument.name, dimensions: attributes.dimensions, aggregate: true)
            handles[key] = .recorder(recorder)
            recorder.record(value)
        }
    }
}

extension [String: Monitoring.AttributeValue] {
    fileprivate var dimensions: [(String, String)] { sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") } }
}
