import Coordination
import Delegation
import Dispatch
import Synchronization

/// The calls that deliveries have still to make, in order.
///
/// The queue of a delivery makes them, or a thread that waits on that queue, which makes none until the wait ends.
final class DeliveredCalls: Sendable {
    typealias Call = @Sendable () -> Void

    private enum QueueID: Hashable {
        /// Not by its object, of which Linux makes a new one at each access.
        case main
        case other(ObjectIdentifier)
    }

    private struct Calls {
        /// Keeps the queue, so that no other one gets its ID.
        let delivery: Delivery
        var calls = FIFO<Call>()
        /// The waits of threads, which may be nested: a call may wait too.
        var waitCount = 0
        var wakeUps: [Promise<Void>] = []

        var isUnused: Bool { calls.isEmpty && waitCount == 0 }
    }

    /// Those of the process, since sessions may share a queue.
    static let shared = DeliveredCalls()

    private let queues = Mutex<[QueueID: Calls]>([:])

    /// Lets a delivery make a call.
    func post(on delivery: Delivery, _ call: @escaping Call) {
        guard let queue = Self.queue(of: delivery) else { return call() }
        change(queue, delivery) { $0.calls.append(call) }
        // Makes one, which is an earlier one if a thread has made some in place of the queue.
        delivery.deliver { [self] in change(queue, delivery) { $0.calls.popFirst() }?() }
    }

    /// True while there is a call left to make.
    func hasCall(for delivery: Delivery) -> Bool {
        guard let queue = Self.queue(of: delivery) else { return false }
        return queues.withLock { $0[queue]?.calls.isEmpty == false }
    }

    /// Waits for `work`, and meanwhile makes the calls of the delivery; for a task on the thread that waits.
    func making(for delivery: Delivery, during work: @escaping @Sendable () async -> Void) async {
        guard let queue = Self.queue(of: delivery) else { return await work() }
        change(queue, delivery) { $0.waitCount += 1 }
        defer { change(queue, delivery) { $0.waitCount -= 1 } }
        let end = Promise<Void>()
        await withTaskGroup { group in
            group.addTask { [self] in
                await work()
                end.fulfill(())
                change(queue, delivery) { _ in }
            }
            while let call = await next(queue, delivery, unless: end) { call() }
        }
    }

    /// The next call; nil once the wait has ended and no call is left.
    private func next(_ queue: QueueID, _ delivery: Delivery, unless end: Promise<Void>) async -> Call? {
        while true {
            let wakeUp = Promise<Void>()
            let (call, hasEnded) = queues.withLock { queues -> (Call?, Bool) in
                // Removed meanwhile, so that its array is not copied.
                var calls = queues.removeValue(forKey: queue) ?? Calls(delivery: delivery)
                defer { queues[queue] = calls }
                if let call = calls.calls.popFirst() { return (call, false) }
                if end.current != nil { return (nil, true) }
                calls.wakeUps.append(wakeUp)
                return (nil, false)
            }
            if let call { return call }
            if hasEnded { return nil }
            await wakeUp.value
        }
    }

    /// Changes the calls of a queue, and wakes the threads that wait on it.
    @discardableResult
    private func change<Result>(_ queue: QueueID, _ delivery: Delivery, _ body: (inout Calls) -> Result) -> Result {
        let (result, wakeUps) = queues.withLock { queues -> (Result, [Promise<Void>]) in
            var calls = queues.removeValue(forKey: queue) ?? Calls(delivery: delivery)
            let result = body(&calls)
            let wakeUps = calls.wakeUps
            calls.wakeUps = []
            if !calls.isUnused { queues[queue] = calls }
            return (result, wakeUps)
        }
        for wakeUp in wakeUps { wakeUp.fulfill(()) }
        return result
    }

    /// Nil for calls that wait for no queue.
    private static func queue(of delivery: Delivery) -> QueueID? {
        switch delivery {
        case .main: .main
        case .queue(let queue):
            queue.label == DispatchQueue.main.label ? .main : .other(ObjectIdentifier(queue))
        case .inline: nil
        }
    }
}
