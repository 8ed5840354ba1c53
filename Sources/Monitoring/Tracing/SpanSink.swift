import Foundation
public import HTTPMessages
import Transport

extension EventSink {
    /// A span for each attempt, when it ends. Needs ``ObservingAttempts``, and ``TracingRequests`` for the IDs.
    ///
    /// Spans of traces that are not sampled are left out.
    /// - Parameters:
    ///   - redaction: the parameters of `url.full` that are secret.
    ///   - export: called on the monitor's thread.
    public static func spans(
        redaction: Redaction = .standard, _ export: @escaping @Sendable (CallSpan) -> Void
    ) -> EventSink {
        EventSink(SpanSink(redaction: redaction, export: export))
    }
}

/// Makes spans of the ends of attempts.
private struct SpanSink: EventReceiver {
    let redaction: Redaction
    let export: @Sendable (CallSpan) -> Void

    func receive(_ event: CallEvent) {
        guard case .attemptEnded(let end) = event.kind, let attempt = end.attempt else { return }
        let request = attempt.request
        let context = TraceContext(request.fields)
        guard context?.isSampled ?? true else { return }
        var attributes = HTTPAttributes(request, end).all
        attributes["url.full"] = .string(redaction.redacted(request.url))
        attributes["url.scheme"] = .string(request.origin.scheme)
        if attempt.number > 1, attempt.reason != .initial {
            attributes["http.request.resend_count"] = .int(attempt.number - 1)
        }
        let original = request.method.name
        if attributes["http.request.method"] == .string(HTTPAttributes.other) {
            attributes["http.request.method_original"] = .string(original)
        }
        let method = request.method.isKnown ? original : "HTTP"
        export(
            CallSpan(
                name: request.options.urlTemplate.map { "\(method) \($0)" } ?? method, context: context,
                parentSpanID: request.options.traceContext?.spanID,
                start: event.call.date + attempt.start.timeInterval, duration: end.duration, attributes: attributes))
    }
}

extension Duration {
    /// Seconds as Foundation counts them.
    var timeInterval: Double { self / .seconds(1) }
}
