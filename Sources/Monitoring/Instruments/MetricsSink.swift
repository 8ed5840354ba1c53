import Authentication
import HTTPMessages
import Queueing
import Synchronization
import Transport

extension EventSink {
    /// Measurements of calls by OpenTelemetry's names, and of queues, credentials and circuits: see
    /// ``MetricInstrument``.
    public static func metrics(_ recorder: some MetricsRecorder) -> EventSink { EventSink(MetricsSink(recorder)) }
}

/// Takes measurements from events.
private final class MetricsSink: EventReceiver {
    private let recorder: any MetricsRecorder
    /// The calls that wait in a queue: one that is cancelled there has no further event of the queue.
    private let queued = Mutex<Set<ObjectIdentifier>>([])

    init(_ recorder: some MetricsRecorder) { self.recorder = recorder }

    func receive(_ event: CallEvent) {
        switch event.kind {
        case .created:
            recorder.adjust(.activeRequests, by: 1, active(event.call))
        case .queued:
            if queued.withLock({ $0.insert(ObjectIdentifier(event.call)).inserted }) {
                recorder.adjust(.queueLength, by: 1, [:])
            }
        case .started(let wait):
            leaveQueue(event.call)
            recorder.record(wait.timeInterval, in: .queueWait, [:])
        case .credential(let credential):
            recorder.count(
                .credentialRefreshes, credential.isObtained ? [:] : ["error.type": .string("refresh_failed")])
        case .circuit(let circuit):
            recorder.count(
                .circuitEvents,
                ["patchbay.circuit.event": .string(circuit.name), "patchbay.circuit.origin": .string(circuit.origin)])
        case .attemptEnded(let end): if let attempt = end.attempt { record(end, of: attempt.request) }
        case .ended(let end):
            leaveQueue(event.call)
            recorder.adjust(.activeRequests, by: -1, active(event.call))
            if !end.hasObservedAttempts { record(end, of: event.call.request) }
        default: break
        }
    }

    private func record(_ end: ObservedEnd, of request: HTTPRequest) {
        let attributes = HTTPAttributes(request, end).all
        recorder.record(end.duration.timeInterval, in: .requestDuration, attributes)
        let sent = end.metrics?.bytesSent ?? end.sentBytes
        if !request.body.isEmpty { recorder.record(Double(sent), in: .requestBodySize, attributes) }
        guard end.head != nil else { return }
        recorder.record(Double(end.metrics?.bytesReceived ?? end.receivedBytes), in: .responseBodySize, attributes)
    }

    private func leaveQueue(_ call: ObservedCall) {
        if queued.withLock({ $0.remove(ObjectIdentifier(call)) }) != nil {
            recorder.adjust(.queueLength, by: -1, [:])
        }
    }

    private func active(_ call: ObservedCall) -> [String: AttributeValue] { HTTPAttributes(call.request).request }
}

extension CircuitEvent {
    fileprivate var name: String {
        switch self {
        case .opened: "opened"
        case .halfOpened: "half_opened"
        case .closed: "closed"
        case .rejected: "rejected"
        }
    }
}
