import Connectivity
import Foundation
import HTTPMessages
import LocalStore
import Outbox
import PatchbayTestKit
import Queueing
import SQLiteStore
import StoreCore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import Transport
import VendorServices

/// A store, an order server in the process, and outboxes over them.
final class OutboxWorld: Sendable {
    let folder: TemporaryFolder
    let store: any LocalStore
    let service: OrderService
    let network = ManualNetworkMonitor()
    let wallClock = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    private let keys = Mutex(0)

    /// - Parameter beforeResponse: called by the server after the effect of a request.
    init(
        _ subject: StoreSubject = .sqliteFile,
        beforeResponse: @escaping @Sendable (HTTPRequest) async throws -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        store = try subject.make(folder)
        service = OrderService(beforeResponse: beforeResponse)
        try store.execute("CREATE TABLE sale (id TEXT PRIMARY KEY, total INTEGER)", [])
    }

    var transport: ServiceTransport<OrderService> { ServiceTransport(service) }

    /// Opens an outbox; as after a relaunch, if there was one before.
    func open(
        over transport: (any Transport)? = nil, user: String? = nil, on clock: any Clock<Duration> = ContinuousClock(),
        store: (any LocalStore)? = nil, _ change: (inout OutboxOptions) -> Void = { _ in }
    ) throws -> Outbox {
        var options = OutboxOptions()
        options.backoff = .constant(.milliseconds(1))
        change(&options)
        let base: any Transport = transport ?? self.transport
        return try Outbox(
            in: store ?? self.store, over: AnyTransport(base), waitingFor: network, user: user,
            options: options, clock: clock, date: { self.wallClock.withLock { $0 } },
            idempotencyKey: {
                self.keys.withLock {
                    $0 += 1; return "key-\($0)"
                }
            })
    }

    /// A transaction on the test's thread.
    func transact(_ body: () throws -> Void) throws { try store.transaction(body) }

    /// Sets the wall clock forward, or back.
    func advanceWallClock(by seconds: Double) { wallClock.withLock { $0 += seconds } }

    static func request(_ method: HTTPMethod = .post, _ path: String = "/orders", _ text: String = "{}") throws
        -> HTTPRequest
    {
        try HTTPRequest(method, "http://shop.example\(path)", body: method == .delete ? .empty : .text(text))
    }

    /// The bodies of the effects so far.
    var bodies: [String] { service.effects.map { String(decoding: $0.body, as: UTF8.self) } }
}

extension Outbox {
    /// Waits until the status meets a condition, and returns it.
    @discardableResult
    func status(where isMet: @Sendable (OutboxStatus) -> Bool) async throws -> OutboxStatus {
        // The conditions of tests also depend on what announces no change, such as the requests of a server.
        while true {
            let status = try await currentStatus()
            if isMet(status) { return status }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Waits until an attempt has failed and its entry waits for the next one.
    ///
    /// The status cannot tell: it also counts an entry as waiting before the attempt.
    func attempted() async throws {
        while try !entries().contains(where: { $0.state == .waiting && $0.failure != nil }) {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Waits until no entry waits or is being sent.
    func drained() async throws { try await status { $0.waiting == 0 && $0.sending == 0 } }
}
