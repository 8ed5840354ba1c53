import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    private static func counts(
        _ events: [TransferEvent], _ count: (TransferEvent) -> (Int64, Int64?)?
    ) -> [(count: Int64, total: Int64?)] {
        events.compactMap(count)
    }

    /// A case that sends a body to an echo service and checks the events.
    private static func observes(
        _ name: String, _ makeBody: @escaping @Sendable (Data) -> HTTPBody,
        _ check: @escaping @Sendable ([TransferEvent], _ size: Int64, HTTPResponse) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name) { subject in
            try await subject.serving(.echo) { rig in
                for size in [1, 70_000, 3 << 20] {
                    let recorder = EventRecorder()
                    let response = try await rig.send(.post, body: makeBody(.sample(size)), observer: recorder)
                    let events = recorder.events
                    try check(events, Int64(size), response)
                    for _ in 0..<20 { await Task.yield() }
                    try expect(recorder.events.count, is: events.count, "the number of events after the end")
                }
            }
        }
    }

    private static func checkCounts(
        _ counts: [(count: Int64, total: Int64?)], upTo size: Int64, _ what: String
    ) throws {
        let numbers = counts.map(\.count)
        try expect(numbers == numbers.sorted(), "the counts of \(what) bytes decrease: \(numbers)")
        try expect(numbers.last, is: size, "the last count of \(what) bytes")
        let totals = Set(counts.compactMap(\.total))
        try expect(totals.isSubset(of: [size]), "the totals of \(what) bytes are \(totals)")
    }

    /// Transfer events.
    static let progress: [ConformanceCase] = [
        observes("sent bytes are counted", { .bytes($0) }) { events, size, _ in
            let counts = counts(events) {
                if case .sentBytes(let count, let total) = $0 { (count, total) } else { nil }
            }
            try checkCounts(counts, upTo: size, "sent")
            try expect(counts.allSatisfy { $0.total == size }, "the known total is missing")
        },
        observes("sent bytes of a stream are counted", { .stream(stream([$0])) }) { events, size, _ in
            let counts = counts(events) {
                if case .sentBytes(let count, let total) = $0 { (count, total) } else { nil }
            }
            try checkCounts(counts, upTo: size, "sent")
        },
        observes("received bytes are counted", { .bytes($0) }) { events, size, _ in
            let counts = counts(events) {
                if case .receivedBytes(let count, let total) = $0 { (count, total) } else { nil }
            }
            try checkCounts(counts, upTo: size, "received")
        },
        observes("events come in order: sent, head, received", { .bytes($0) }) { events, _, response in
            let kinds = events.map { event in
                if case .sentBytes = event { 0 } else if case .head = event { 1 } else { 2 }
            }
            try expect(kinds == kinds.sorted(), "the events are \(kinds)")
            let heads = events.compactMap { if case .head(let head) = $0 { head } else { nil } }
            try expect(heads, is: [response.head], "the head among the events")
        },
        ConformanceCase("without bodies the head is the only event") { subject in
            try await subject.serving({ $0.response(.noContent) }) { rig in
                let recorder = EventRecorder()
                let response = try await rig.send(observer: recorder)
                try expect(recorder.events, is: [.head(response.head)], "the list of events")
            }
        },
        ConformanceCase("no events come after a failure", needs: [.faults]) { subject in
            let service = ClosureService { $0.response(body: .sample(100_000)) }
            try await subject.serving(service, faults: { _ in .close(.inBody) }) { rig in
                let recorder = EventRecorder()
                try await expectError(.truncated) { try await rig.send(observer: recorder) }
                let count = recorder.events.count
                // Late events would have arrived by the end of the next request.
                _ = try? await rig.send()
                try expect(recorder.events.count, is: count, "the number of events after the end")
            }
        },
    ]
}
