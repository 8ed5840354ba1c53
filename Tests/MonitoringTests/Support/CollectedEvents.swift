import Foundation
import HTTPMessages
import Synchronization
import Testing
import Transport

@testable import Monitoring

/// A sink that keeps all events.
final class CollectedEvents: EventReceiver {
    private let events = Mutex<[CallEvent]>([])
    let bodyLimit: Int

    init(bodyLimit: Int = 0) { self.bodyLimit = bodyLimit }

    func receive(_ event: CallEvent) { events.withLock { $0.append(event) } }

    var all: [CallEvent] { events.withLock(\.self) }

    /// The kinds of the events, as words.
    var words: [String] { all.map(\.word) }

    /// The ends of calls.
    var ends: [ObservedEnd] { all.compactMap { if case .ended(let end) = $0.kind { end } else { nil } } }

    /// Checks that each call has its start first, one end, and that its end is last; times are in order except those
    /// that an engine tells late.
    func expectWholeCalls(_ location: SourceLocation = #_sourceLocation) {
        for events in Dictionary(grouping: all, by: { ObjectIdentifier($0.call) }).values {
            let id = events[0].call.id
            let words = events.map(\.word)
            #expect(words.first == "created", "\(id): \(words)", sourceLocation: location)
            #expect(words.last?.hasPrefix("ended") == true, "\(id): \(words)", sourceLocation: location)
            #expect(words.count { $0 == "created" } == 1, "\(id): \(words)", sourceLocation: location)
            #expect(words.count { $0.hasPrefix("ended") } == 1, "\(id): \(words)", sourceLocation: location)
            let times = events.filter { !["resolved", "connected", "secured"].contains($0.word) }.map(\.time)
            #expect(times == times.sorted(), sourceLocation: location)
        }
    }
}

extension CallEvent {
    /// The kind of the event with its main value, such as `attempt 2 retry`.
    var word: String {
        switch kind {
        case .created: "created"
        case .queued: "queued"
        case .started: "started"
        case .attempt(let attempt): "attempt \(attempt.number) \(attempt.reason)"
        case .resolved: "resolved"
        case .connected: "connected"
        case .secured: "secured"
        case .sent(let count, _): "sent \(count)"
        case .head(let head): "head \(head.status.code)"
        case .body(let count, _): "body \(count)"
        case .redirect(let event): "redirect \(event.head.status.code)"
        case .retry: "retry"
        case .challenge(let status): "challenge \(status.code)"
        case .credential: "credential"
        case .circuit(let event): "\(event)".components(separatedBy: ":")[0]
        case .hedge(let event): "\(event)"
        case .coalesced: "coalesced"
        case .cache(let event): "\(event)"
        case .layer(let event): "layer \(event)"
        case .attemptEnded(let end): "attempt \(attempt) \(end.word)"
        case .ended(let end): "ended \(end.word)"
        }
    }
}

extension ObservedEnd {
    var word: String {
        switch outcome {
        case .completed: "completed"
        case .failed: "failed"
        case .abandoned: "abandoned"
        }
    }
}
