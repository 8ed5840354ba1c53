import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Transport

/// A background session of the test's: tasks are listed and cancelled, and events come when the test sends them.
final class FakeBackgroundSession: BackgroundSession {
    struct Started: Sendable {
        let id: UUID
        let request: HTTPRequest
        let source: URL?
    }

    let started = Watched<[Started]>([])
    let cancelled = Watched<[UUID]>([])
    private let tasks: Set<UUID>
    private let queue: DispatchQueue
    private let receive: Mutex<(@Sendable (BackgroundSessionEvent) -> Void)?>

    /// - Parameter tasks: those of an earlier process.
    init(
        tasks: Set<UUID>, queue: DispatchQueue, _ receive: @escaping @Sendable (BackgroundSessionEvent) -> Void
    ) {
        (self.tasks, self.queue) = (tasks, queue)
        self.receive = Mutex(receive)
    }

    func start(_ id: UUID, _ request: HTTPRequest, uploading source: URL?) {
        started.update { $0.append(Started(id: id, request: request, source: source)) }
    }

    func cancel(_ id: UUID) { cancelled.update { $0.append(id) } }

    func listTasks(_ body: @escaping @Sendable (Set<UUID>) -> Void) { body(tasks) }

    /// Reports events, as the system does.
    func report(_ events: BackgroundSessionEvent...) {
        queue.sync {
            for event in events { receive.withLock { $0 }?(event) }
        }
    }

    /// Ends the process of the session.
    func kill() { queue.sync { receive.withLock { $0 = nil } } }
}

/// A folder of records, and the processes that open it one after the other.
final class BackgroundWorld {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let handlerQueue = DispatchQueue(label: "handlers")
    private(set) var session: FakeBackgroundSession?
    private(set) var transfers: BackgroundTransfers?

    init() throws { folder = try TemporaryFolder() }

    /// Opens the transfers in a new process.
    /// - Parameter tasks: those that the system still has.
    @discardableResult
    func launch(tasks: Set<UUID> = []) throws -> BackgroundTransfers {
        end()
        var made: FakeBackgroundSession?
        let opened = try BackgroundTransfers(
            folder: records, clock: AnyMonotonicClock(clock), handlerQueue: handlerQueue
        ) { queue, receive in
            let session = FakeBackgroundSession(tasks: tasks, queue: queue, receive)
            made = session
            return session
        }
        (session, transfers) = (made, opened)
        return opened
    }

    /// Ends the process.
    func end() {
        session?.kill()
        (session, transfers) = (nil, nil)
    }

    var records: URL { folder.url.appending(path: "records") }
    func file(_ name: String) -> URL { folder.url.appending(path: name) }

    /// A file as the system delivers it.
    func delivered(_ text: String) throws -> URL {
        let file = file("system-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        return file
    }

    func text(_ file: URL) -> String? { (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) } }

    deinit { end() }

    // MARK: What is transferred

    static func head(_ status: HTTPStatus = .ok) throws -> HTTPResponseHead {
        HTTPResponseHead(status: status, url: try #require(URL(string: "https://h.test/film")))
    }

    static func request() throws -> HTTPRequest { try HTTPRequest(.get, "https://h.test/film") }

    /// The first completion that is not acknowledged.
    static func first(_ transfers: BackgroundTransfers?) async throws -> BackgroundTransfer {
        var completions = try #require(transfers).completions.makeAsyncIterator()
        return try #require(await completions.next())
    }

    static func reason(_ transfer: BackgroundTransfer) -> BackgroundTransferFailure.Reason? {
        if case .failed(let failure) = transfer.state { failure.reason } else { nil }
    }
}
