import Coordination
import Foundation
import HTTPMessages
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The URLSessions of a transport, and the only code that calls them.
final class SessionEngine: Sendable {
    /// A session with its delegate and its dispatch queue.
    ///
    /// Creating, resuming and cancelling a task blocks on Foundation's network queue. These calls therefore run on
    /// `queue`: never on the network queue itself, where they deadlock, nor on the caller's thread while it may be
    /// busy.
    private final class PooledSession: Sendable {
        let session: URLSession
        let delegate: SessionDelegate
        let queue: DispatchQueue
        /// The number of transfers in this session.
        let load = Atomic(0)

        init(session: URLSession, delegate: SessionDelegate, queue: DispatchQueue) {
            self.session = session
            self.delegate = delegate
            self.queue = queue
        }
    }

    /// The number of transfers in the process, including finished ones that Foundation still runs.
    ///
    /// It is global because all sessions of the process share one network queue.
    private static let load = Atomic(0)

    private let pool: [PooledSession]
    /// The session for requests with a connection of their own, made at the first one: it never has a kept connection.
    private let unpooled = Mutex<PooledSession?>(nil)
    private let makeSession: @Sendable () -> PooledSession
    private let limiter: Mutex<ConnectionLimiter<Transfer>>
    let timers: TimerQueue
    let temporaryDirectory: URL
    let streamBufferBytes: Int
    private let support: RequestBodyUpload.Support
    private let options: URLSessionTransport.NetworkOptions

    /// - Parameters:
    ///   - options: supported by this platform.
    ///   - challenges: made from the options.
    ///   - support: the forms of request bodies; tests can pass those of another platform.
    init(
        _ configuration: URLSessionTransport.Configuration, options: URLSessionTransport.NetworkOptions = .init(),
        challenges: ChallengePolicy = ChallengePolicy(), clock: AnyMonotonicClock,
        support: RequestBodyUpload.Support = .platform
    ) {
        self.support = support
        self.options = options
        timers = TimerQueue(clock)
        temporaryDirectory = configuration.temporaryDirectory
        streamBufferBytes = configuration.streamBufferBytes
        limiter = Mutex(
            ConnectionLimiter(limit: configuration.maximumConnectionsPerOrigin, isCancelled: \.isFinished))
        makeSession = {
            let queue = DispatchQueue(label: "patchbay.urlsession")
            let delegate = SessionDelegate(queue: queue, challenges: challenges, options: options)
            let session = URLSession(
                configuration: .patchbay(
                    maximumConnectionsPerHost: configuration.maximumConnectionsPerOrigin, options: options),
                delegate: delegate, delegateQueue: .patchbay())
            return PooledSession(session: session, delegate: delegate, queue: queue)
        }
        pool = (0..<max(1, configuration.sessionCount)).map { [makeSession] _ in makeSession() }
    }

    deinit {
        // Not `invalidateAndCancel()`: cancelled tasks may still be completing.
        let sessions = pool + [unpooled.withLock(\.self)].compactMap(\.self)
        for pooled in sessions { pooled.queue.async { pooled.session.finishTasksAndInvalidate() } }
    }

    /// The session of WebSockets.
    var webSocketSession: URLSession { pool[0].session }

    /// Runs a transfer, and waits for its response, or the head of a streamed one.
    func run(_ transfer: Transfer) async throws -> HTTPResponse {
        guard !Task.isCancelled else { throw TransportError.cancelled(transfer.request) }
        // Around the start too, which may block: a call that is cancelled meanwhile sends nothing.
        return try await withTaskCancellationHandler {
            if RequestBodyUpload(transfer.request.body, for: support) == .spool {
                spool(transfer)
            } else {
                submit(transfer)
            }
            return try await transfer.outcome()
        } onCancel: {
            transfer.cancel()
        }
    }

    /// Collects the body of a transfer in a temporary file, then starts the transfer.
    private func spool(_ transfer: Transfer) {
        let work = Task(executorPreference: WorkerThreads.calls) { [self] in
            do throws(RequestBodySpool.Failure) {
                transfer.spooled(
                    try await RequestBodySpool(transfer.request.body, in: temporaryDirectory, for: support))
                submit(transfer)
            } catch {
                switch error {
                case .body(let error):
                    transfer.failed(
                        .unreadableBody, TransportError.unreadableBodyMessage(error), underlying: error)
                case .disk(let error):
                    transfer.failed(
                        .temporaryStorage, .cannotStore("The request body", because: error), underlying: error)
                }
            }
        }
        transfer.workStarted { work.cancel() }
    }

    /// Starts a transfer when its origin has a free slot.
    func submit(_ transfer: Transfer) {
        let hasSlot = limiter.withLock { $0.acquire(transfer.request.origin, for: transfer) }
        guard hasSlot else { return transfer.slotAwaited() }
        // With no other transfer the network queue is idle, so starting on this thread saves a thread switch.
        if Self.load.load(ordering: .relaxed) == 0 {
            start(transfer) { queue, work in queue.sync(execute: work) }
        } else {
            start(transfer)
        }
    }

    /// Starts a transfer that has a slot; its response timeout starts now, before the session's task does.
    private func start(
        _ transfer: Transfer,
        on perform: (DispatchQueue, @escaping @Sendable () -> Void) -> Void = { $0.async(execute: $1) }
    ) {
        let pooled = session(for: transfer)
        pooled.load.wrappingAdd(1, ordering: .relaxed)
        Self.load.wrappingAdd(1, ordering: .relaxed)
        transfer.slotAcquired { self.release(transfer, from: pooled) }
        perform(pooled.queue) { [support, options] in
            guard !transfer.isFinished else { return }
            // Chosen again, because a file may have changed while the transfer waited.
            let upload = RequestBodyUpload(transfer.body, for: support)
            var request: URLRequest
            do throws(TransportError) {
                request = try URLRequest(transfer, upload)
            } catch {
                return transfer.failed(with: error)
            }
            options.apply(to: &request, of: transfer.request)
            let task = pooled.session.dataTask(with: request)
            pooled.delegate.register(
                transfer, for: task.taskIdentifier, keeping: upload.isFile ? transfer.spoolFile : nil)
            transfer.controlFlow(on: pooled.queue) { $0 ? task.suspend() : task.resume() }
            // The queue is serial, so a cancellation runs after this block and thus after `resume()`.
            let isFinished = transfer.engineStarted { pooled.queue.async { task.cancel() } }
            // If the transfer has finished meanwhile, its task is cancelled without being resumed and sends nothing.
            if !isFinished { task.resume() }
        }
    }

    private func session(for transfer: Transfer) -> PooledSession {
        guard transfer.needsOwnConnection else { return leastLoadedSession }
        return unpooled.withLock { unpooled in
            let session = unpooled ?? makeSession()
            unpooled = session
            return session
        }
    }

    /// The first session with the fewest transfers, so that sequential requests reuse one connection.
    private var leastLoadedSession: PooledSession {
        pool.dropFirst().reduce(pool[0]) { best, pooled in
            pooled.load.load(ordering: .relaxed) < best.load.load(ordering: .relaxed) ? pooled : best
        }
    }

    private func release(_ transfer: Transfer, from pooled: PooledSession) {
        pooled.load.wrappingSubtract(1, ordering: .relaxed)
        Self.load.wrappingSubtract(1, ordering: .relaxed)
        let next = limiter.withLock { $0.release(transfer.request.origin) }
        if let next { start(next) }
    }
}
