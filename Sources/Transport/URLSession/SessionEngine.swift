import Foundation
import HTTPMessages
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The sessions behind a transport, and the only code that calls them.
final class SessionEngine: Sendable {
    /// A session with its delegate, and the queue on which its tasks are made, started and cancelled: these calls wait
    /// for the network's queue, so they are made neither there nor on the cooperative pool.
    private struct Lane: Sendable {
        let session: URLSession
        let delegate: SessionDelegate
        let queue: DispatchQueue
    }

    private let lanes: [Lane]
    private let nextLane = Atomic(0)
    private let slots: Mutex<OriginSlots<Transfer>>
    let deadlines: Deadlines
    /// Where bodies that are streams are collected: beside the cooperative pool, which blocked callers may have used up.
    let spooling = DispatchQueueExecutor(DispatchQueue(label: "patchbay.spooling", attributes: .concurrent))

    init(_ configuration: URLSessionTransport.Configuration, timeline: Timeline) {
        deadlines = Deadlines(timeline)
        slots = Mutex(OriginSlots(limit: configuration.maximumConnectionsPerOrigin, isGone: \.isFinished))
        lanes = (0..<max(1, configuration.sessions)).map { _ in
            let queue = DispatchQueue(label: "patchbay.urlsession")
            let delegate = SessionDelegate(queue: queue)
            let session = URLSession(
                configuration: .patchbay(maximumConnectionsPerHost: configuration.maximumConnectionsPerOrigin),
                delegate: delegate, delegateQueue: .patchbay())
            return Lane(session: session, delegate: delegate, queue: queue)
        }
    }

    deinit {
        // Tasks that were cancelled may still be on their way to their end.
        for lane in lanes { lane.queue.async { lane.session.finishTasksAndInvalidate() } }
    }

    /// Starts a transfer as soon as its origin has a free slot.
    func submit(_ transfer: Transfer) {
        let mayStart = slots.withLock { $0.acquire(transfer.request.origin, for: transfer) }
        if mayStart { start(transfer) }
    }

    private func start(_ transfer: Transfer) {
        let lane = lanes[nextLane.wrappingAdd(1, ordering: .relaxed).oldValue % lanes.count]
        lane.queue.async {
            guard !transfer.isFinished, let request = URLRequest(transfer) else { return self.release(transfer) }
            let task = lane.session.dataTask(with: request)
            lane.delegate.register(transfer, for: task.taskIdentifier) { self.release(transfer) }
            transfer.started()
            task.resume()
            transfer.began { lane.queue.async { task.cancel() } }
        }
    }

    private func release(_ transfer: Transfer) {
        let next = slots.withLock { $0.release(transfer.request.origin) }
        if let next { start(next) }
    }
}
