import HTTPMessages
import Testing

@testable import Queueing

/// What a queue keeps of those who have gone.
@Suite struct WorkQueueMemoryTests {
    private func expectNothing(in queue: WorkQueue<Int, Int>) {
        #expect(queue.items.isEmpty && queue.keys.names.isEmpty && queue.keys.count == 0)
        #expect(queue.schedule.places.all.isEmpty && queue.schedule.keys.loads.isEmpty)
    }

    @Test func aRushThatIsServedLeavesNothingBehind() {
        var queue = WorkQueue<Int, Int>(limits: QueueLimits(running: 1))
        for _ in 0..<3 {
            let ids = (0..<5000).compactMap { queue.submit($0, key: $0, now: .zero).admission.id }
            for id in ids { _ = queue.finish(id) }
            expectNothing(in: queue)
            for id in ids { #expect(queue[id] == nil) }
        }
    }

    @Test func aRushLeavesNothingBehind() {
        var queue = WorkQueue<Int, Int>(limits: QueueLimits(running: 1))
        for round in 0..<3 {
            var running: QueueItemID?
            for number in 0..<5000 {
                let (admission, _) = queue.submit(
                    number, key: number, priority: RequestPriority(level: number % 700), tag: "\(number)",
                    deadline: .seconds(number), now: .seconds(round))
                if case .started(let id) = admission { running = id }
            }
            #expect(queue.waitingCount == 4999 && queue.cancel(tag: "77").count == 1)
            #expect(queue.cancelAll().count == 4999)
            #expect(running.map { queue.finish($0).count } == 0 && queue.nextDeadline() == nil)
            #expect(queue.runningCount == 0 && queue.waitingCount == 0)
            expectNothing(in: queue)
        }
    }

    @Test func manyKeysAreForgotten() {
        var queue = WorkQueue<Int, Int>()
        for number in 0..<10_000 {
            let (admission, _) = queue.submit(number, key: number, now: .zero)
            if let id = admission.id { _ = queue.finish(id) }
        }
        #expect(queue.keys.count < 200)
    }
}
