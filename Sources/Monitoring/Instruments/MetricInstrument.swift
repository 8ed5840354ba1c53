/// What is measured: a name, a unit, and for a distribution the limits of its buckets.
public struct MetricInstrument: Hashable, Sendable {
    /// The kind of a measurement.
    @nonexhaustive public enum Kind: Hashable, Sendable {
        /// A sum that only grows.
        case counter
        /// A sum that grows and shrinks.
        case upDownCounter
        /// A distribution of values.
        case histogram
    }

    /// The name, such as `http.client.request.duration`.
    public let name: String
    /// The kind.
    public let kind: Kind
    /// The unit as in UCUM, such as `s`, `By` or `{request}`.
    public let unit: String
    /// What it measures.
    public let summary: String
    /// The upper limits of the buckets of a histogram.
    public let buckets: [Double]

    /// Creates an instrument.
    public init(_ name: String, _ kind: Kind, unit: String, summary: String, buckets: [Double] = []) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.summary = summary
        self.buckets = buckets
    }

    private static let seconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
    private static let bytes = [0, 256, 1024, 4096, 16384, 65536, 262_144, 1_048_576, 16_777_216].map(Double.init)

    /// The duration of each attempt, or of each call if attempts are not observed.
    public static let requestDuration = MetricInstrument(
        "http.client.request.duration", .histogram, unit: "s", summary: "Duration of HTTP client requests.",
        buckets: seconds)
    /// The calls that have not ended.
    public static let activeRequests = MetricInstrument(
        "http.client.active_requests", .upDownCounter, unit: "{request}", summary: "Number of active HTTP requests.")
    /// The bytes of request bodies.
    public static let requestBodySize = MetricInstrument(
        "http.client.request.body.size", .histogram, unit: "By", summary: "Size of HTTP client request bodies.",
        buckets: bytes)
    /// The bytes of response bodies.
    public static let responseBodySize = MetricInstrument(
        "http.client.response.body.size", .histogram, unit: "By", summary: "Size of HTTP client response bodies.",
        buckets: bytes)
    /// The calls that wait in queues.
    public static let queueLength = MetricInstrument(
        "patchbay.queue.length", .upDownCounter, unit: "{request}", summary: "Number of calls that wait in queues.")
    /// The time in a queue.
    public static let queueWait = MetricInstrument(
        "patchbay.queue.wait", .histogram, unit: "s", summary: "Time in a queue.", buckets: seconds)
    /// The waits of calls for credentials.
    public static let credentialRefreshes = MetricInstrument(
        "patchbay.credential.refreshes", .counter, unit: "{refresh}", summary: "Waits of calls for a credential.")
    /// The changes of circuits, and the requests that they refused.
    public static let circuitEvents = MetricInstrument(
        "patchbay.circuit.events", .counter, unit: "{event}", summary: "Changes of circuits, and refused requests.")

    /// All instruments of this module.
    public static let all = [
        requestDuration, activeRequests, requestBodySize, responseBodySize, queueLength, queueWait,
        credentialRefreshes, circuitEvents,
    ]
}
