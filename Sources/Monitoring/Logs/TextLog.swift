import Foundation
public import HTTPMessages
import Queueing
import Transport

extension EventSink {
    /// A text log: one line for each event that the level includes.
    ///
    /// ```
    /// 5f3a90c1-2b > GET https://api.example.com/items?token=<redacted>
    /// 5f3a90c1-2b +12.1 ms retry: 503 Service Unavailable, retried after 0.2 s
    /// 5f3a90c1-2b < 200 OK, 512 bytes in 240.7 ms
    /// ```
    ///
    /// A download that continues after an interruption has a first and a last line for each of its requests, with the
    /// same ID. The first line of the rest ends with `, continued at byte 1048576`. The lines of a file begin with the
    /// time and the level.
    /// - Parameters:
    ///   - level: how much is written.
    ///   - output: where; default the standard error.
    ///   - redaction: the names whose values are never written.
    public static func log(
        _ level: LogLevel = .basic, to output: LogOutput = .standardError, redaction: Redaction = .standard
    ) -> EventSink {
        EventSink(TextLog(level: level, output: output, redaction: redaction))
    }
}

/// Writes events as lines of text.
struct TextLog: EventReceiver {
    let level: LogLevel
    let output: LogOutput
    let redaction: Redaction

    var bodyLimit: Int { level.bodyLimit }

    func receive(_ event: CallEvent) {
        guard level != .off, let (severity, text) = line(event) else { return }
        let date = event.call.date.addingTimeInterval(event.time.timeInterval)
        output.write(LogLine(call: event.call.id, severity: severity, text: "\(event.call.id) \(text)", date: date))
    }

    private func line(_ event: CallEvent) -> (LogLine.Severity, String)? {
        // For most events no line is written, so their time is not needed.
        var time: String { "+\(event.time.logText)" }
        switch event.kind {
        case .created:
            let request = event.call.request
            return (.info, "> \(text(request))\(continuation(request))\(body(request))")
        case .attempt(let attempt):
            guard level.showsFields else { return nil }
            let request = attempt.request
            let fields = text(request.fields, redaction.covering(request))
            return (.debug, "\(time) attempt \(attempt.number) (\(attempt.reason)): \(text(request))\(fields)")
        case .head(let head):
            guard level.showsFields else { return nil }
            return (
                .debug, "\(time) \(head.status) from \(redaction.redacted(head.url))\(text(head.fields, redaction))"
            )
        case .redirect(let event):
            return (.notice, "\(time) redirect: \(event.head.status) to \(redaction.redacted(event.target))")
        case .ended(let end): return (end.severity, "< \(text(end))\(body(end))")
        case .sent, .body, .resolved, .connected, .secured, .attemptEnded, .queued, .started:
            return level.showsFields ? detail(event) : nil
        case .retry, .challenge, .circuit, .hedge: return (.notice, "\(time) \(safe(event.kind))")
        case .credential, .coalesced, .cache, .layer: return (.info, "\(time) \(safe(event.kind))")
        }
    }

    private func detail(_ event: CallEvent) -> (LogLine.Severity, String)? {
        var time: String { "+\(event.time.logText)" }
        return switch event.kind {
        case .attemptEnded(let end): (.debug, "\(time) attempt \(event.attempt) ended: \(text(end))")
        case .queued, .started, .resolved, .connected, .secured: (.debug, "\(time) \(event.kind)")
        // Their number depends on the machine; the end has the last ones.
        default: nil
        }
    }

    private func text(_ request: HTTPRequest) -> String { "\(request.method) \(redaction.redacted(request.url))" }

    /// Where a download goes on.
    private func continuation(_ request: HTTPRequest) -> String {
        guard request.options.attemptReason == .continuation,
            let range = request.fields[.range].flatMap({ $0.wholeMatch(of: /bytes=(\d+)-/) })
        else { return "" }
        return ", continued at byte \(range.1)"
    }

    private func text(_ fields: HTTPFields, _ redaction: Redaction) -> String {
        fields.map { " \($0.name.rawName): \(redaction.redacted($0.value, of: $0.name).onOneLine);" }.joined()
    }

    private func text(_ end: ObservedEnd) -> String {
        let result =
            switch end.outcome {
            case .completed: end.head.map { "\($0.status)" } ?? "completed"
            case .failed(let error): "failed: \(redaction.redacted(line: error.logDescription))"
            case .abandoned: (end.head.map { "\($0.status), " } ?? "") + "released by the reader"
            }
        let dropped = end.droppedEvents > 0 ? ", \(end.droppedEvents) events dropped" : ""
        return "\(result), \(end.receivedBytes) bytes in \(end.duration.logText)\(dropped)"
    }

    /// The text of an event that other modules describe, with what the app declares secret replaced too.
    private func safe(_ kind: CallEvent.Kind) -> String { redaction.redacted(line: "\(kind)") }

    private func body(_ end: ObservedEnd) -> String {
        body(end.body, end.head?.mediaType, length: end.receivedBytes, redaction.forResponseBodies)
    }

    private func body(_ request: HTTPRequest) -> String {
        guard level.bodyLimit > 0 else { return "" }
        guard case .bytes(let bytes) = request.shownBody.source else {
            return request.body.isEmpty ? "" : " [\(request.body)]"
        }
        let type = request.fields[.contentType].flatMap { MediaType(parsing: $0) }
        return body(bytes, type, length: Int64(bytes.count), redaction)
    }

    private func body(_ bytes: Data, _ mediaType: MediaType?, length: Int64, _ redaction: Redaction) -> String {
        guard level.bodyLimit > 0, length > 0 else { return "" }
        let start = bytes.prefix(level.bodyLimit)
        let isCut = Int64(start.count) < length
        guard
            let text = BodyExcerpt.text(
                of: start, as: mediaType, limit: level.bodyLimit, isCut: isCut, redaction: redaction)
        else {
            return " [\(length) bytes, not text]"
        }
        return " [\(text)\(isCut && !text.hasSuffix("…") ? "…" : "")]"
    }
}

extension Redaction {
    /// The policy with the fields of the request's credential, which a layer has added, regardless of their names.
    func covering(_ request: HTTPRequest) -> Redaction { adding(request.options.credentialFields) }
}

extension ObservedEnd {
    var severity: LogLine.Severity {
        switch outcome {
        case .completed: head.map { $0.status.code >= 400 } ?? false ? .error : .info
        case .failed(let error): error.isCancellation ? .info : .error
        case .abandoned: .info
        }
    }
}
