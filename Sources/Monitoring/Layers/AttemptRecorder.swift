import Foundation
import HTTPMessages
import Synchronization
import Transport

/// Records the events of one attempt, and passes them on.
final class AttemptRecorder: TransferObserver {
    private let recorder: CallRecorder
    private let attempt: ObservedAttempt
    let app: AppObserver
    /// True if the recorder gets events of layers from here.
    private let isDirect: Bool
    /// True for an attempt that is a call, because no layer outside observes calls.
    private let isCall: Bool
    private let counts = Mutex<(sent: Int64, received: Int64)>((0, 0))

    /// - Parameter observer: that of the layer outside, perhaps the recorder itself.
    init(_ request: HTTPRequest, _ recorder: CallRecorder, _ observer: (any TransferObserver)?, isCall: Bool) {
        self.recorder = recorder
        self.isCall = isCall
        isDirect = isCall || observer as? CallRecorder === recorder
        app = AppObserver(observer as? CallRecorder === recorder ? nil : observer, of: request, recorder.monitor)
        attempt = recorder.startAttempt(request)
    }

    var isImmediate: Bool { true }

    func transfer(didEmit event: TransferEvent) {
        switch event {
        case .sentBytes(let count, _): counts.withLock { $0.sent = count }
        case .receivedBytes(let count, _): counts.withLock { $0.received = count }
        case .head: break
        case .layer: if isDirect { recorder.transfer(didEmit: event) }
        }
        if case .layer = event {} else { recorder.record(event, attempt: attempt.number) }
        app.receive(event)
    }

    func end(_ outcome: ObservedEnd.Outcome, head: HTTPResponseHead?, received: Int64?, body: Data = Data()) {
        let metrics = TransferMetrics(of: outcome, head)
        if let metrics { recorder.record(metrics, attempt: attempt.number) }
        let counts = counts.withLock { $0 }
        let end = ObservedEnd(
            outcome, of: attempt, head: head ?? outcome.head, metrics: metrics, duration: recorder.time - attempt.start,
            sentBytes: counts.sent, receivedBytes: received ?? counts.received, body: body,
            attempts: attempt.number)
        recorder.record(.attemptEnded(end), attempt: attempt.number)
        if isCall { recorder.end(outcome, head: head, received: received, body: body) }
    }
}
