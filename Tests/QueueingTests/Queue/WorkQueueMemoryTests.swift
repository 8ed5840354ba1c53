import HTTPMessages
import Testing

@testable import Queueing

/// The memory of a queue after its items have ended.
@Suite struct WorkQueueMemoryTests {
    private func expectNothing(in queue: WorkQueue<Int, Int>) {
        #expect(queue.items.isEmpty && queue.keys.values.isEmpty && queue.keys.count == 0)
        #expect(queue.schedule.table.all.isEmpty && queue.schedule.keys.counters.isEmpty)
    }

    @Test func `a load peak that is served releases its memory`() {
        var queue = WorkQueue<Int, Int>(limits: QueueLimits(maximumConcurrent: 1))
        for _ in 0..<3 {
            let ids = (0..<5000).compactMap { queue.submit($0, key: $0, now: .zero).result.id }
            for id in ids { _ = queue.finish(id) }
            expectNothing(in: queue)
            for id in ids { #expect(queue[id] == nil) }
        }
    }

    @Test func `a load peak that is cancelled releases its memory`() {
        var queue = WorkQueue<Int, Int>(limits: QueueLimits(maximumConcurrent: 1))
        for round in 0..<3 {
            var running: QueueItemID?
            for number in 0..<5000 {
                let (result, _) = queue.submit(
                    number, key: number, priority: RequestPriority(level: number % 700), tag: "\(number)",
                    deadline: .seconds(number), now: .seconds(round))
                if case .started(let id) = result { running = id }
            }
            #expect(queue.waitingCount == 4999 && queue.cancel(tag: "77").count == 1)
            #expect(queue.cancelAll().count == 4999)
            #expect(running.map { queue.finish($0).count } == 0 && queue.nextDeadline() == nil)
            #expect(queue.runningCount == 0 && queue.waitingCount == 0)
            expectNothing(in: queue)
        }
    }

    @Test func `idle keys are removed`() {
        var queue = WorkQueue<Int, Int>()
        for number in 0..<10_000 {
            let (result, _) = queue.submit(number, key: number, now: .zero)
            if let id = result.id { _ = queue.finish(id) }
        }
        #expect(queue.keys.count < 200)
    }
}
