import Coordination
import Delegation
import Dispatch
import Synchronization

/// Callbacks for deliveries whose queue runs a blocking wait: the waiting thread calls them, since the queue calls
/// nothing until the wait returns.
final class BlockedDelivery: Sendable {
    /// The waits of one delivery, which may be nested: a callback may wait too.
    private struct Waits {
        var count = 0
        var calls: [@Sendable () -> Void] = []
        var wakeUps: [Promise<Void>] = []
    }

    /// Those of the process, since sessions may share a queue.
    static let shared = BlockedDelivery()

    private let waits = Mutex<[ObjectIdentifier: Waits]>([:])

    /// Hands a call to the thread that waits, if there is one.
    func post(on delivery: Delivery, _ call: @escaping @Sendable () -> Void) {
        guard let queue = delivery.queueID else { return }
        wake(queue) { $0.calls.append(call) }
    }

    /// Waits for `work`, and meanwhile makes the calls of the delivery; for a task on the thread that waits.
    func makingCalls(of delivery: Delivery, during work: @escaping @Sendable () async -> Void) async {
        guard let queue = delivery.queueID else { return await work() }
        waits.withLock { $0[queue, default: Waits()].count += 1 }
        defer {
            waits.withLock { waits in
                waits[queue]?.count -= 1
                // What is left, the queue calls after the wait.
                if waits[queue]?.count == 0 { waits[queue] = nil }
            }
        }
        let end = Promise<Void>()
        await withTaskGroup { group in
            group.addTask { [self] in
                await work()
                end.fulfill(())
                wake(queue) { _ in }
            }
            while let call = await next(queue, unless: end) { call() }
        }
    }

    /// The next call; nil once the wait has ended and no call is left.
    private func next(_ queue: ObjectIdentifier, unless end: Promise<Void>) async -> (@Sendable () -> Void)? {
        while true {
            let wakeUp = Promise<Void>()
            let (call, hasEnded) = waits.withLock { waits -> ((@Sendable () -> Void)?, Bool) in
                if let calls = waits[queue]?.calls, !calls.isEmpty { return (waits[queue]?.calls.removeFirst(), false) }
                if end.current != nil { return (nil, true) }
                waits[queue]?.wakeUps.append(wakeUp)
                return (nil, false)
            }
            if let call { return call }
            if hasEnded { return nil }
            await wakeUp.value
        }
    }

    private func wake(_ queue: ObjectIdentifier, _ change: (inout Waits) -> Void) {
        let wakeUps = waits.withLock { waits -> [Promise<Void>] in
            guard var changed = waits[queue] else { return [] }
            change(&changed)
            defer {
                changed.wakeUps = []
                waits[queue] = changed
            }
            return changed.wakeUps
        }
        for wakeUp in wakeUps { wakeUp.fulfill(()) }
    }
}

extension Delivery {
    /// Tells queues apart; nil for calls that wait for none.
    fileprivate var queueID: ObjectIdentifier? {
        switch self {
        case .main: ObjectIdentifier(DispatchQueue.main)
        case .queue(let queue):
            ObjectIdentifier(queue.label == DispatchQueue.main.label ? DispatchQueue.main : queue)
        case .inline: nil
        }
    }
}
