import Foundation
import HTTPMessages
import Monitoring
import PatchbayTestKit
import Queueing
import Synchronization
import Transport

extension Harness {
    /// Measures what a monitor adds to a call over a fake. The time until its sinks have got all events counts.
    func monitoring() async throws -> [Figure] {
        let fake = FakeTransport { $0.response(body: ServerProcess.responseBody) }
        let request = try HTTPRequest(.get, "http://127.0.0.1/akula/app/data/item?region=east")
        let counting = EventMonitor([EventSink(EventCounter())])
        let log = EventMonitor([.log(.basic, to: .handler { _ in })])
        let metrics = EventMonitor([.metrics(MemoryMetrics())])
        return [
            try await monitored(
                "Counting monitor over a fake", fake.observing(by: counting), counting, over: fake, request),
            try await monitored(
                "Counting monitor of attempts too", fake.observingAttempts(by: counting).observing(by: counting),
                counting, over: fake, request),
            try await monitored("Text log over a fake", fake.observing(by: log), log, over: fake, request),
            try await monitored("Measurements over a fake", fake.observing(by: metrics), metrics, over: fake, request),
            try await monitored(
                "Trace fields over a fake", fake.tracing(), EventMonitor([]), over: fake, request),
        ]
    }

    /// Measures a monitor of a stack that sends requests to a server.
    func monitoring(_ server: ServerProcess) async throws -> Figure {
        let operations = count(5000)
        let network = URLSessionTransport()
        let monitor = EventMonitor([EventSink(EventCounter())])
        let plain = network.redirecting().retrying(.standard)
        let observed = network.observingAttempts(by: monitor).redirecting().retrying(.standard).observing(by: monitor)
        let request = try HTTPRequest(.get, server.url + "/akula/app/data/item?region=east")
        return try await compare(
            "Stack with a counting monitor, 16 in flight", operations: operations, against: "the stack without",
            subject: {
                try await repeating(operations, inFlight: 16) { _ = try await observed.send(request) }
                await monitor.flush()
            },
            baseline: { try await repeating(operations, inFlight: 16) { _ = try await plain.send(request) } })
    }

    private func monitored(
        _ name: String, _ transport: some Transport, _ monitor: EventMonitor, over fake: FakeTransport,
        _ request: HTTPRequest
    ) async throws -> Figure {
        let operations = count(20_000)
        return try await compare(
            name, operations: operations, against: "the fake alone",
            subject: {
                for call in 1...operations {
                    _ = try await transport.send(request)
                    // On a busy machine its thread may fall behind.
                    if call.isMultiple(of: 5000) || call == operations { await monitor.flush() }
                }
                precondition(monitor.droppedCalls == 0)
            },
            baseline: { for _ in 0..<operations { _ = try await fake.send(request) } })
    }
}

/// Counts events.
private final class EventCounter: EventReceiver {
    private let count = Atomic(0)
    func receive(_ event: CallEvent) { count.wrappingAdd(1, ordering: .relaxed) }
}
