import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

@testable import Monitoring

/// Random stacks of layers over a fake that fails at random: each call has whole events, however it ends.
@Suite(.needsSlot) struct RandomStacksTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `random failures, cancellations and releases leave one start and one end`(_ seed: UInt64) async throws {
        let events = CollectedEvents()
        let monitor = EventMonitor([EventSink(events)])
        let faults = Watched(SeededGenerator(seed: seed))
        @Sendable func random(_ limit: Int) -> Int {
            var number = 0
            faults.update { number = Int.random(in: 0..<limit, using: &$0) }
            return number
        }
        let base = FakeTransport { request in
            await Task.yield()
            switch random(8) {
            case 0: throw TransportError(.connectionLost, "Connection lost.", request: request)
            case 1: return request.response(.serviceUnavailable)
            case 2: return request.response(.found, fields: try HTTPFields(["Location": "/\(random(1000))"]))
            case 3:
                for _ in 0..<100 { await Task.yield() }
                guard !Task.isCancelled else { throw CancellationError() }
                return request.response(text: "late")
            default: return request.response(text: "hello")
            }
        }
        let transport = base.observingAttempts(by: monitor).tracing().circuitBreaking().redirecting()
            .queued(in: RequestQueue(limits: QueueLimits(maximumConcurrent: 4)))
            .hedging(after: .microseconds(1), maximumAttempts: 3).retrying(.immediate).coalescing()
            .observing(by: monitor)
        let count = 300
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    guard let request = try? HTTPRequest(.get, "http://h\(number % 5).test/\(number % 3)") else {
                        return
                    }
                    let work = Task {
                        switch number % 4 {
                        case 0: _ = try await transport.stream(request).body.collect()
                        case 1: _ = try await transport.stream(request)
                        default: _ = try await transport.send(request)
                        }
                    }
                    if number % 7 == 0 { work.cancel() }
                    _ = await work.result
                }
            }
        }
        await monitor.flush()
        events.expectWholeCalls()
        #expect(events.ends.count == count && monitor.droppedCalls == 0)
        for (_, events) in Dictionary(grouping: events.all, by: \.call.id) {
            let started = events.filter { if case .attempt = $0.kind { true } else { false } }.map(\.attempt)
            let ended = events.filter { if case .attemptEnded = $0.kind { true } else { false } }.map(\.attempt)
            #expect(started == started.sorted() && Set(started).count == started.count)
            #expect(Set(ended).count == ended.count && Set(ended).isSubset(of: started))
        }
    }
}
