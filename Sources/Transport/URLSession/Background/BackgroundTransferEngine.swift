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
    }

    /// How long the end of a transfer may come after a relaunch, if the system lists no task for it.
    static let patience = Duration.seconds(30)

    private let queue = DispatchQueue(label: "patchbay.background-transfers")
    private let handlerQueue: DispatchQueue
    private let folder: BackgroundTransferFolder
    private let clock: AnyMonotonicClock
    // Used on the queue only; the locks satisfy the compiler, and are free.
    private let state: Mutex<BackgroundTransferState>
    private let readers = Mutex(Readers())
    private let session = Mutex<(any BackgroundSession)?>(nil)

    /// - Parameter handlerQueue: calls the handlers of the system's events; default the main queue.
    init(
        folder: BackgroundTransferFolder, clock: AnyMonotonicClock, handlerQueue: DispatchQueue = .main,
        makeSession: MakeSession
    ) {
        (self.folder, self.clock, self.handlerQueue) = (folder, clock, handlerQueue)
        state = Mutex(BackgroundTransferState(folder.records()))
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

    func transfers() async -> [BackgroundTransfer] {
        await onQueue { [self] in state.withLock(\.transfers) }
    }

    func cancel(_ id: UUID) async { await onQueue { [self] in perform { $0.cancelled(id) } } }

    func acknowledge(_ id: UUID) async { await onQueue { [self] in perform { $0.acknowledged(id) } } }

    func addHandler(_ handler: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            readers.withLock { $0.handlers.append(handler) }
            perform { $0.handlerAdded() }
        }
    }

    /// The completions that are not acknowledged, those of now and later ones.
    func completions() -> AsyncStream<BackgroundTransfer> {
        let (stream, continuation) = AsyncStream.makeStream(of: BackgroundTransfer.self)
        let id = UUID()
        continuation.onTermination = { [weak self] _ in
            _ = self?.readers.withLock { $0.completions.removeValue(forKey: id) }
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
        continuation.onTermination = { [weak self] _ in
            _ = self?.readers.withLock { $0.changes.removeValue(forKey: id) }
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
            for action in state.withLock({ $0.received(id, head) }) {
                guard case .stage(let record) = action, let head else {
                    perform(action)
                    continue
                }
                stage(record, head, file)
            }
        case .completed(let id, let head, let error): perform { $0.completed(id, head, error) }
        case .eventsEnded: perform { $0.eventsEnded() }
        }
    }

    private func listed(_ tasks: Set<UUID>) {
        let (actions, mustWait) = state.withLock { $0.listed(tasks) }
        for action in actions { perform(action) }
        guard mustWait else { return }
        _ = clock.schedule(at: clock.now + Self.patience) { [weak self] in
            self?.queue.async { [weak self] in self?.perform { $0.waitEnded() } }
        }
    }

    private func perform(_ event: (inout BackgroundTransferState) -> [BackgroundTransferState.Action]) {
        for action in state.withLock({ event(&$0) }) { perform(action) }
    }

    private func perform(_ action: BackgroundTransferState.Action) {
        switch action {
        // Only with a file; see `receive`.
        case .stage: break
        // A completion that cannot be stored is announced nevertheless: the app can still take it over.
        case .store(let record): try? folder.store(record)
        case .place(let record): place(record)
        case .deleteStagedFile(let record): SystemFile.delete(record.stagingFile.path)
        case .cancelTask(let id): session.withLock { $0 }?.cancel(id)
        case .deleteRecord(let id): folder.delete(id)
        case .announce(let id):
            guard let transfer = state.withLock({ $0.transfer(id) }) else { return }
            for reader in readers.withLock({ Array($0.completions.values) }) { reader.yield(transfer) }
        case .signal:
            let transfers = state.withLock(\.transfers)
            for reader in readers.withLock({ Array($0.changes.values) }) { reader.yield(transfers) }
        case .callHandlers:
            let handlers = readers.withLock { readers in
                defer { readers.handlers = [] }
                return readers.handlers
            }
            handlerQueue.async { for handler in handlers { handler() } }
        }
    }

    private func stage(_ record: BackgroundTransferRecord, _ head: HTTPResponseHead, _ file: URL) {
        let id = record.id
        do {
            SystemFile.delete(record.stagingFile.path)
            // The system's folder may be on another volume.
            try FileManager.default.moveItem(at: file, to: record.stagingFile)
            perform { $0.staged(id, head) }
        } catch {
            perform { $0.fileFailed(id, "The downloaded file cannot be moved to the folder of its target.") }
        }
    }

    private func place(_ record: BackgroundTransferRecord) {
        let (staged, target) = (record.stagingFile.path, record.file.url.path)
        do throws(POSIXError) {
            let file = try SystemFile(staged, for: .writing)
            if let mode = SystemFile.mode(replacing: target) { file.setMode(mode) }
            try file.moveDurably(from: staged, to: target)
            perform { $0.placed(record.id) }
        } catch {
            // An earlier process was killed after it had moved the file, and before it could store that.
            if error.code == .ENOENT, FileManager.default.fileExists(atPath: target) {
                return perform { $0.placed(record.id) }
            }
            let message = "The downloaded file cannot be moved to its target (error \(error.code.rawValue))."
            perform { $0.fileFailed(record.id, message) }
        }
    }

    private func onQueue<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
    }
}
