import Foundation
import HTTPMessages
import Transport

/// A call as it is written, without secrets.
struct LogRecord: Sendable {
    let call: LoggedCall
    let events: [LoggedEvent]
    /// The last sign-out of the process at the start of the call.
    let lastSignOut: Int

    init(_ call: ObservedCall, _ events: [CallEvent], _ end: ObservedEnd, _ redaction: Redaction, bodyLimit: Int) {
        let request = call.request
        lastSignOut = call.lastSignOut
        // What was sent, with the fields of layers, if attempts are observed: the end of an attempt knows also those of
        // a stack inside.
        var last: ObservedAttempt?
        for event in events {
            switch event.kind {
            case .attempt(let attempt): last = attempt
            case .attemptEnded(let end):
                if let attempt = end.attempt, attempt.number >= last?.number ?? 0 { last = attempt }
            default: break
            }
        }
        let sent = last?.request ?? request
        let responseBody = BodyExcerpt.text(
            of: end.body.prefix(bodyLimit), as: end.head?.mediaType, limit: bodyLimit,
            isCut: bodyLimit < end.receivedBytes, redaction: redaction.forResponseBodies)
        self.call = LoggedCall(
            sequence: 0, id: "\(call.id)", date: call.date.timeIntervalSince1970, method: request.method.name,
            url: redaction.redacted(request.url), status: end.head.map { Int64($0.status.code) },
            error: end.error.map { redaction.redacted(line: $0.logDescription) },
            duration: end.duration.timeInterval, attempts: Int64(end.attempts), sentBytes: end.sentBytes,
            receivedBytes: end.receivedBytes, requestFields: sent.fields.logText(redaction.covering(sent)),
            responseFields: end.head.map { $0.fields.logText(redaction) },
            requestBody: Self.text(of: request, redaction, bodyLimit), responseBody: bodyLimit > 0 ? responseBody : nil)
        self.events = events.enumerated().map { index, event in
            LoggedEvent(
                number: Int64(index), time: event.time.timeInterval,
                attempt: Int64(event.attempt), text: redaction.redacted(line: "\(event.kind)"))
        }
    }

    /// The approximate size in the store.
    var bytes: Int {
        let texts = [
            call.url, call.error, call.requestFields, call.responseFields, call.requestBody, call.responseBody,
        ]
        return texts.reduce(100) { $0 + ($1?.utf8.count ?? 0) } + events.reduce(0) { $0 + 60 + $1.text.utf8.count }
    }

    private static func text(of request: HTTPRequest, _ redaction: Redaction, _ limit: Int) -> String? {
        guard limit > 0, case .bytes(let bytes) = request.shownBody.source else { return nil }
        return BodyExcerpt.text(
            of: bytes, as: request.fields[.contentType].flatMap { MediaType(parsing: $0) }, limit: limit,
            redaction: redaction)
    }
}

extension HTTPFields {
    /// A line for each field, without secrets.
    fileprivate func logText(_ redaction: Redaction) -> String {
        map { "\($0.name.rawName): \(redaction.redacted($0.value, of: $0.name).onOneLine)" }.joined(separator: "\n")
    }
}
