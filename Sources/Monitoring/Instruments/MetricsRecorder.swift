/// Takes measurements, for a metrics library or a test; called on the monitor's thread.
///
/// ```swift
/// struct Statsd: MetricsRecorder {
///     func count(_ instrument: MetricInstrument, _ attributes: [String: AttributeValue]) {
///         send("\(instrument.name):1|c")
///     }
///     func adjust(_ instrument: MetricInstrument, by delta: Int, _ attributes: [String: AttributeValue]) { ... }
///     func record(_ value: Double, in instrument: MetricInstrument, _ attributes: [String: AttributeValue]) { ... }
/// }
/// ```
public protocol MetricsRecorder: Sendable {
    /// Adds one to a counter.
    func count(_ instrument: MetricInstrument, _ attributes: [String: AttributeValue])
    /// Changes a sum by 1 or -1.
    func adjust(_ instrument: MetricInstrument, by delta: Int, _ attributes: [String: AttributeValue])
    /// Adds a value to a distribution.
    func record(_ value: Double, in instrument: MetricInstrument, _ attributes: [String: AttributeValue])
}
