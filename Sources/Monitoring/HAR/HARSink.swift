public import Foundation
public import HTTPMessages
import Synchronization
import Transport

/// Writes an entry for each request that was sent: each attempt if attempts are observed, otherwise each call.
private struct HARSink: EventReceiver {
    let writer: HARWriter
    let bodyLimit: Int

    func receive(_ event: CallEvent) {
        switch event.kind {
        case .attemptEnded(let end): append(end, of: event.call)
        case .ended(let end) where !end.hasObservedAttempts: append(end, of: event.call)
        default: break
        }
    }

    private func append(_ end: ObservedEnd, of call: ObservedCall) {
        // The writer keeps the error.
        try? writer.append(HAREntry(end, of: call, maximumBodyBytes: bodyLimit))
    }
}

extension EventSink {
    /// Writes an HTTP archive, with an entry for each request that is sent.
    ///
    /// Without ``ObservingAttempts`` in any stack of the monitor each call is an entry, also one that a cache answers
    /// or a layer refuses.
    ///
    /// Close the writer after ``EventMonitor/flush()``, to wait for the disk. What could not be written is in
    /// ``HARWriter/lastFailure``.
    public static func har(_ writer: HARWriter) -> EventSink {
        EventSink(HARSink(writer: writer, bodyLimit: writer.limits.bodyBytes))
    }

    /// Writes an HTTP archive to a file, whose content it replaces.
    /// - Throws: ``HARError`` (`fileInUse`, `unwritableFile`).
    public static func har(_ file: URL, redaction: Redaction = .standard) throws(HARError) -> EventSink {
        .har(try HARWriter(file, redaction: redaction))
    }
}

extension HAREntry {
    /// The entry of an attempt, or of a call whose attempts are not observed.
    init(_ end: ObservedEnd, of call: ObservedCall, maximumBodyBytes: Int) {
        let request = end.attempt?.request ?? call.request
        let result: Result<HTTPResponse, any Error>
        switch (end.outcome, end.head) {
        case (.failed(let error), _): result = .failure(error)
        case (_, let head?): result = .success(HTTPResponse(head: head, body: end.body))
        case (_, nil): result = .failure(CancellationError())
        }
        let start = call.date.addingTimeInterval((end.attempt?.start ?? .zero).timeInterval)
        self.init(
            request, result, startedAt: start, timings: HARTimings(end.metrics, within: end.duration),
            maximumBodyBytes: maximumBodyBytes)
        serverIPAddress = end.metrics?.remoteAddress
        if let version = end.metrics?.httpVersion {
            self.request.httpVersion = "HTTP/\(version)"
            response.httpVersion = "HTTP/\(version)"
        }
        if case .success = result, end.receivedBytes > end.body.count {
            response.content.size = Int(clamping: end.receivedBytes)
            response.content.comment = "Cut at \(end.body.count) bytes."
        }
        if case .abandoned = end.outcome { comment = "The reader released the body before its end." }
    }
}

extension HARTimings {
    /// The phases of a transfer; only the whole is known without measurements.
    /// - Parameter duration: that of the attempt; what it took before the transfer is the phase `blocked`.
    init(_ metrics: TransferMetrics?, within duration: Duration) {
        guard let metrics else {
            self = .total(duration)
            return
        }
        func phase(_ end: Duration?, since start: Duration?) -> Duration? {
            end.map { max(.zero, $0 - (start ?? .zero)) }
        }
        let opened = metrics.secured ?? metrics.connected ?? metrics.resolved
        let sent = metrics.sent ?? opened
        self.init(
            blocked: max(.zero, duration - metrics.total), dns: metrics.resolved,
            connect: phase(metrics.secured ?? metrics.connected, since: metrics.resolved),
            ssl: phase(metrics.secured, since: metrics.connected), send: phase(metrics.sent, since: opened),
            wait: phase(metrics.firstByte ?? metrics.total, since: sent),
            receive: metrics.firstByte.map { max(.zero, metrics.total - $0) })
    }
}
