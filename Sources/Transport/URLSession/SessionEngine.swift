import Foundation
import HTTPMessages
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The sessions behind a transport, and the only code that calls them.
final class SessionEngine: Sendable {
    /// A session with its delegate, and the queue on which its tasks are made, started and cancelled: these calls wait
    /// for the network's queue, so they are made neither there nor, while it may be busy, on the caller's thread.
    private final class Lane: Sendable {
        let session: URLSession
        let delegate: SessionDelegate
        let queue: DispatchQueue
        /// How many transfers it has.
        let load = Atomic(0)

        init(session: URLSession, delegate: SessionDelegate, queue: DispatchQueue) {
            self.session = session
            self.delegate = delegate
            self.queue = queue
        }
    }

    /// How many transfers all engines of the process have, those included that have ended and that Foundation still runs:
    /// all sessions share one network queue.
    private static let load = Atomic(0)

    private let lanes: [Lane]
    private let slots: Mutex<OriginSlots<Transfer>>
    let deadlines: Deadlines
    let temporaryDirectory: URL
    let streamBufferBytes: Int
    private let means: BodyUpload.Means
    /// Where bodies are spooled: beside the cooperative pool, which blocked callers may have used up.
    let spooling = DispatchQueueExecutor(DispatchQueue(label: "patchbay.spooling", attributes: .concurrent))

    /// - Parameter means: what bodies become; a test may ask for another platform's.
    init(
        _ configuration: URLSessionTransport.Configuration, timeline: Timeline, means: BodyUpload.Means = .platform
    ) {
        self.means = means
        deadlines = Deadlines(timeline)
        temporaryDirectory = configuration.temporaryDirectory
        streamBufferBytes = configuration.streamBufferBytes
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

    /// True when a body has to be spooled before a transfer is submitted.
    func needsSpool(_ body: HTTPBody) -> Bool { BodyUpload(body, by: means) == .spool }

    /// A body's bytes in a form that the engine can take.
    func spool(_ body: HTTPBody) async throws(BodySpool.Failure) -> BodySpool {
        try await BodySpool(body, in: temporaryDirectory, for: means)
    }

    /// Starts a transfer as soon as its origin has a free slot.
    func submit(_ transfer: Transfer) {
        let mayStart = slots.withLock { $0.acquire(transfer.request.origin, for: transfer) }
        guard mayStart else { return }
        // While no transfer runs nothing keeps the network's queue busy, and a change of threads would only cost time.
        if Self.load.load(ordering: .relaxed) == 0 {
            start(transfer) { queue, work in queue.sync(execute: work) }
        } else {
            start(transfer)
        }
    }

    /// Starts a transfer that has a slot. Its deadlines run from here on, whatever the session waits for.
    private func start(
        _ transfer: Transfer,
        on perform: (DispatchQueue, @escaping @Sendable () -> Void) -> Void = { $0.async(execute: $1) }
    ) {
        let lane = leastLoadedLane
        lane.load.wrappingAdd(1, ordering: .relaxed)
        Self.load.wrappingAdd(1, ordering: .relaxed)
        transfer.connectionGiven { self.release(transfer, from: lane) }
        perform(lane.queue) { [means] in
            guard !transfer.isFinished else { return }
            // Anew, because a file may have changed while the transfer waited.
            let upload = BodyUpload(transfer.body, by: means)
            guard let request = URLRequest(transfer, upload) else { return }
            let task = lane.session.task(with: request, upload)
            lane.delegate.register(
                transfer, for: task.taskIdentifier, keeping: upload.isFile ? transfer.spoolFile : nil)
            // After this block, and so after the task was started.
            let isOver = transfer.engineBegins { lane.queue.async { task.cancel() } }
            // A transfer that has ended meanwhile sends nothing: its task is cancelled without being started.
            if !isOver { task.resume() }
        }
    }

    /// The first of those with the least to do, so that a caller who waits for each answer stays on one connection.
    private var leastLoadedLane: Lane {
        lanes.dropFirst().reduce(lanes[0]) { best, lane in
            lane.load.load(ordering: .relaxed) < best.load.load(ordering: .relaxed) ? lane : best
        }
    }

    private func release(_ transfer: Transfer, from lane: Lane) {
        lane.load.wrappingSubtract(1, ordering: .relaxed)
        Self.load.wrappingSubtract(1, ordering: .relaxed)
        let next = slots.withLock { $0.release(transfer.request.origin) }
        if let next { start(next) }
    }
}

extension URLSession {
    /// A task for a request, which has its body unless that is a file.
    func task(with request: URLRequest, _ upload: BodyUpload) -> URLSessionDataTask {
        if case .file(let url) = upload { uploadTask(with: request, fromFile: url) } else { dataTask(with: request) }
    }
}
