import Foundation
import HTTPMessages
import Queueing
import Synchronization
import Transport

/// Records the events of one attempt, and passes them on.
final class AttemptRecorder: TransferObserver {
    /// What is known of the attempt.
    private enum Phase: UInt8, AtomicRepresentable {
        /// Nothing yet.
        case open
        /// A request was sent.
        case sent
        /// A cache below has a response. Unless a further request is sent, the attempt has no end.
        case served
        /// It shares the request of another call, so it has no end.
        case shared
        /// A layer inside reports it.
        case replaced
    }

    private let recorder: CallRecorder
    private let attempt: ObservedAttempt
    let app: AppObserver
    /// True if the recorder gets events of layers from here.
    private let isDirect: Bool
    /// True for an attempt that is a call, because no layer outside observes calls.
    private let isCall: Bool
    private let counts = Mutex<(sent: Int64, received: Int64)>((0, 0))
    private let phase = Atomic(Phase.open)

    /// - Parameters:
    ///   - observer: that of the layer outside, perhaps the recorder itself.
    ///   - outer: the next one outside for the same monitor.
    init(
        _ request: HTTPRequest, _ recorder: CallRecorder, _ observer: (any TransferObserver)?,
        inside outer: AttemptRecorder? = nil, isCall: Bool
    ) {
        self.recorder = recorder
        self.isCall = isCall
        isDirect = isCall || observer as? CallRecorder === recorder
        app = AppObserver(observer as? CallRecorder === recorder ? nil : observer, of: request, recorder.monitor)
        attempt = recorder.startAttempt(request, number: outer?.replace(in: recorder))
    }

    /// Leaves the attempt to a layer inside, which is nearer to the network.
    /// - Returns: the number of the attempt if its event remains; nil for another one, or for one of another call.
    private func replace(in recorder: CallRecorder) -> Int? {
        guard recorder === self.recorder else { return nil }
        let known = phase.exchange(.replaced, ordering: .relaxed)
        guard known == .open || known == .sent, !recorder.withdrawAttempt(attempt.number) else { return nil }
        return attempt.number
    }

    /// - Returns: true for the first phase after `open`.
    @discardableResult private func begin(_ next: Phase) -> Bool {
        guard phase.load(ordering: .relaxed) == .open else { return false }
        return phase.compareExchange(expected: .open, desired: next, ordering: .relaxed).exchanged
    }

    private func note(_ event: any LayerEvent) {
        switch event {
        case let search as RecorderSearch: search.found(self, of: recorder.monitor)
        case is RetryEvent, is HedgeEvent: begin(.sent)
        case _ where event.needsNoRequest:
            if begin(event.sharesRequest ? .shared : .served) { recorder.withdrawAttempt(attempt.number) }
        default: break
        }
    }

    var isImmediate: Bool { true }

    func transfer(didEmit event: TransferEvent) {
        switch event {
        case .sentBytes(let count, _): counts.withLock { $0.sent = count }
        case .receivedBytes(let count, _): counts.withLock { $0.received = count }
        case .head: break
        case .layer(let layerEvent):
            note(layerEvent)
            if isDirect { recorder.transfer(didEmit: event) }
            return app.receive(event)
        }
        begin(.sent)
        switch phase.load(ordering: .relaxed) {
        case .open, .sent: recorder.record(event, attempt: attempt.number)
        case .served, .shared: recorder.record(event, attempt: 0)
        case .replaced: break
        }
        app.receive(event)
    }

    func end(_ outcome: ObservedEnd.Outcome, head: HTTPResponseHead?, received: Int64?, body: Data = Data()) {
        switch phase.load(ordering: .relaxed) {
        case .open, .sent: endAttempt(attempt, outcome, head: head, received: received, body: body)
        case .served where (head ?? outcome.head).map { !$0.isHit && !$0.isLocal } ?? true:
            // After the stored response, such as a redirect, a request was sent.
            let sent = recorder.startAttempt(attempt.request, at: attempt.start)
            endAttempt(sent, outcome, head: head, received: received, body: body)
        case .served, .shared, .replaced: break
        }
        if isCall { recorder.end(outcome, head: head, received: received, body: body) }
    }

    private func endAttempt(
        _ attempt: ObservedAttempt, _ outcome: ObservedEnd.Outcome, head: HTTPResponseHead?, received: Int64?,
        body: Data
    ) {
        let metrics = TransferMetrics(of: outcome, head)
        let counts = counts.withLock { $0 }
        var (recorder, attempt) = (recorder, attempt)
        while true {
            if let metrics { recorder.record(metrics, attempt: attempt.number) }
            let end = ObservedEnd(
                outcome, of: attempt, head: head ?? outcome.head, metrics: metrics,
                duration: recorder.time - attempt.start, sentBytes: counts.sent,
                receivedBytes: received ?? counts.received, body: body, attempts: attempt.number)
            if recorder.endAttempt(end) { return }
            // The call has ended: another one that shares the request has the attempt.
            guard let other = RecorderSearch.recorder(of: recorder.monitor, behind: app.immediate), other !== recorder
            else { return }
            attempt = other.adopt(attempt, of: recorder)
            recorder = other
        }
    }
}
