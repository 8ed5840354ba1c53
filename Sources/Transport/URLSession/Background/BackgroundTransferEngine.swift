import Coordination
import Foundation
import HTTPMessages
import Synchronization
import SystemLibraries

/// Connects the state machine, the records and the session of background transfers.
///
/// All of that happens on one serial queue, which is also the session's: the system deletes a downloaded file when its
/// event has been handled.
final class BackgroundTransferEngine: Sendable {
    /// Makes a session that reports to a closure, on the queue.
    typealias MakeSession = (DispatchQueue, @escaping @Sendable (BackgroundSessionEvent) -> Void) ->
        any BackgroundSession

    private struct Readers {
        var completions: [UUID: AsyncStream<BackgroundTransfer>.Continuation] = [:]
        var changes: [UUID: AsyncStream<[BackgroundTransfer]>.Continuation] = [:]
        var handlers: [@Sendable () -> Void] = []
        /// True while the readers of changes are about to get them.
        var isSignaling = false
    }

    /// How long the end of a transfer may come after a relaunch, if the system lists no task for it.
    static let patience = Duration.seconds(30)
    /// The wait before a record is stored, or a file is moved, once more.
    static let retryDelay = Duration.seconds(30)

    private let queue = DispatchQueue(label: "patchbay.background-transfers")
    private let handlerQueue: DispatchQueue
    private let folder: BackgroundTransferFolder
    private let clock: AnyMonotonicClock
    // Used on the queue only; the locks satisfy the compiler, and are free.
    private let state: Mutex<BackgroundTransferState>
    private let readers = Mutex(Readers())
    private let session = Mutex<(any BackgroundSession)?>(nil)

    /// - Parameters:
    ///   - handlerQueue: calls the handlers of the system's events; default the main queue.
    ///   - secrets: the names of fields that are not stored.
    /// - Throws: `temporaryStorage` if the records cannot be read.
    init(
        folder: BackgroundTransferFolder, clock: AnyMonotonicClock, handlerQueue: DispatchQueue = .main,
        secrets: RedirectPolicy = .standard, makeSession: MakeSession
    ) throws(TransportError) {
        (self.folder, self.clock, self.handlerQueue) = (folder, clock, handlerQueue)
        let (records, unreadable) = try folder.records()
        state = Mutex(BackgroundTransferState(records, unreadable: unreadable, secrets: secrets))
        queue.async { [self] in perform { $0.opened() } }
        // The session keeps the engine, as long as the process lives: events without a receiver would be lost.
        let session = makeSession(queue) { [self] event in receive(event) }
        self.session.withLock { $0 = session }
        session.listTasks { [self] tasks in queue.async { self.listed(tasks) } }
    }

    deinit {
        let readers = readers.withLock { $0 }
        for reader in readers.completions.values { reader.finish() }
        for reader in readers.changes.values { reader.finish() }
    }

    // MARK: For the app

    /// Stores a transfer, then starts its task.
    func start(
        _ record: BackgroundTransferRecord, _ request: HTTPRequest, uploading source: URL?
    ) async throws(TransportError) -> BackgroundTransfer {
        try await onQueue { [self] in
            Result { () throws(TransportError) in
                // The system raises an exception for a file that it cannot read when the task is made.
                let body = try source.map { source throws(TransportError) in try Self.readable(source, of: request) }
                defer { withExtendedLifetime(body) {} }
                do { try folder.store(record) } catch {
                    throw TransportError(
                        .temporaryStorage, "The record of the transfer cannot be written; free space.",
                        request: request, underlying: error)
                }
                perform { $0.started(record) }
                session.withLock { $0 }?.start(record.id, request, uploading: source)
                return record.transfer(nil)
            }
        }.get()
    }

    private static func readable(_ source: URL, of request: HTTPRequest) throws(TransportError) -> SystemFile {
        do throws(POSIXError) { return try SystemFile(source.path, for: .reading) } catch {
            throw TransportError(
                .unreadableBody, "Request body is a file that cannot be read (error \(error.code.rawValue)).",
                request: request, underlying: error)
        }
    }

    func transfers() async -> [BackgroundTransfer] {
        await onQueue { [self] in state.withLock(\.transfers) }
    }

    func cancel(_ id: UUID) async { await onQueue { [self] in perform { $0.cancelled(id) } } }

    func acknowledge(_ id: UUID) async { await onQueue { [self] in perform { $0.acknowledged(id) } } }

    func addHandler(_ handler: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            readers.withLock { $0.handlers.append(handler) }
            perform { [now = clock.now] in $0.handlerAdded(at: now) }
        }
    }

    /// The completions that are not acknowledged, those of now and later ones.
    func completions() -> AsyncStream<BackgroundTransfer> {
        let (stream, continuation) = AsyncStream.makeStream(of: BackgroundTransfer.self)
        let id = UUID()
        // On the queue, where it comes after the start.
        continuation.onTermination = { [weak self, queue] _ in
            queue.async { _ = self?.readers.withLock { $0.completions.removeValue(forKey: id) } }
        }
        queue.async { [weak self] in
            guard let self else { return continuation.finish() }
            for transfer in state.withLock(\.transfers) where transfer.isComplete { continuation.yield(transfer) }
            readers.withLock { $0.completions[id] = continuation }
        }
        return stream
    }

    /// All transfers, now and after each change.
    func changes() -> AsyncStream<[BackgroundTransfer]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [BackgroundTransfer].self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        // On the queue, where it comes after the start.
        continuation.onTermination = { [weak self, queue] _ in
            queue.async { _ = self?.readers.withLock { $0.changes.removeValue(forKey: id) } }
        }
        queue.async { [weak self] in
            guard let self else { return continuation.finish() }
            continuation.yield(state.withLock(\.transfers))
            readers.withLock { $0.changes[id] = continuation }
        }
        return stream
    }

    // MARK: On the queue

    private func receive(_ event: BackgroundSessionEvent) {
        switch event {
        case .progressed(let id, let completed, let total):
            perform { $0.progressed(id, completed: completed, total: total) }
        case .received(let id, let head, let file):
            let size = (try? FileStatus(at: file.path))?.size ?? 0
            for action in state.withLock({ $0.received(id, head, size: size) }) {
                if case .stage(let record) = action { stage(record, file) } else { perform(action) }
            }
        case .completed(let id, let head, let error): perform { $0.completed(id, head, error) }
        case .eventsEnded: perform { [now = clock.now] in $0.eventsEnded(at: now) }
        }
    }

    private func listed(_ tasks: Set<UUID>) {
        let (actions, mustWait) = state.withLock { $0.listed(tasks) }
        for action in actions { perform(action) }
        guard mustWait else { return }
        later(Self.patience) { $0.waitEnded() }
    }

    private func perform(_ event: (inout BackgroundTransferState) -> [BackgroundTransferState.Action]) {
        for action in state.withLock({ event(&$0) }) { perform(action) }
    }

    private func perform(_ action: BackgroundTransferState.Action) {
        switch action {
        // Only with a file; see `receive`.
        case .stage: break
        case .findStagedFile(let record):
            if let file = StagedDownload(record).find() { perform { $0.staged(record.id, file) } }
        case .store(let record):
            do { try folder.store(record) } catch { return perform { $0.storingFailed() } }
            perform { $0.stored(record) }
        case .place(let record, let file): place(record, file)
        case .deleteStagedFile(let record): StagedDownload(record).delete()
        case .cancelTask(let id): session.withLock { $0 }?.cancel(id)
        case .deleteRecord(let id): folder.delete(id)
        case .announce(let id):
            guard let transfer = state.withLock({ $0.transfer(id) }) else { return }
            for reader in readers.withLock({ Array($0.completions.values) }) { reader.yield(transfer) }
        case .signal: signal()
        case .callHandlers:
            let handlers = readers.withLock { readers in
                defer { readers.handlers = [] }
                return readers.handlers
            }
            handlerQueue.async { for handler in handlers { handler() } }
        case .retryLater: later(Self.retryDelay) { $0.retried() }
        }
    }

    private func later(
        _ delay: Duration,
        _ event: @escaping @Sendable (inout BackgroundTransferState) -> [BackgroundTransferState.Action]
    ) {
        _ = clock.schedule(at: clock.now + delay) { [weak self] in
            self?.queue.async { [weak self] in self?.perform(event) }
        }
    }

    /// Tells the readers of changes, once for all events that wait on the queue.
    private func signal() {
        let mustSignal = readers.withLock { readers in
            guard !readers.changes.isEmpty, !readers.isSignaling else { return false }
            readers.isSignaling = true
            return true
        }
        guard mustSignal else { return }
        queue.async { [weak self] in
            guard let self else { return }
            let transfers = state.withLock(\.transfers)
            let changes = readers.withLock { readers in
                readers.isSignaling = false
                return Array(readers.changes.values)
            }
            for reader in changes { reader.yield(transfers) }
        }
    }

    // MARK: Files

    private func stage(_ record: BackgroundTransferRecord, _ file: URL) {
        do {
            let file = try StagedDownload(record).take(file)
            perform { $0.staged(record.id, file) }
        } catch {
            let error = error as NSError
            let cause = "\(error.domain) \(error.code)"
            perform {
                $0.fileFailed(
                    record.id, "The downloaded file cannot be moved to the folder of its target (\(cause)).")
            }
        }
    }

    private func place(_ record: BackgroundTransferRecord, _ file: StoredFile) {
        do throws(POSIXError) {
            try StagedDownload(record).place(file)
            perform { $0.placed(record.id) }
        } catch {
            let message = "The downloaded file cannot be moved to its target (error \(error.code.rawValue))."
            perform { [code = error.code] in
                $0.fileFailed(record.id, message, isTransient: StagedDownload.transientErrors.contains(code))
            }
        }
    }

    private func onQueue<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
    }
}
