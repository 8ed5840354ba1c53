import Delegation
import Dispatch
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import Queueing
import TestSupport
import Testing
import Transport

/// Lets a layer below retry as often as it wants: the manager's requests limit their attempts.
private struct Unlimited: Transport {
    let base: AnyTransport

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        var request = request
        request.options.maximumAttempts = nil
        return try await base.send(request, observer: observer)
    }
}

/// Calls while threads are blocked: those of the platform, and some by callbacks of the app.
@Suite(.needsSlot) struct BlockedThreadsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func manager(_ transport: some Transport, perOrigin: Int? = nil) -> HTTPManager<AnyTransport> {
        let manager = HTTPManager(
            transport: AnyTransport(transport), maximumConcurrentRequestsPerOrigin: perOrigin,
            backoff: .exponential(base: .zero, cap: .zero),
            settings: ORASettingsStore(file: folder.url.appending(path: "settings.json")),
            lifecycle: ORAManualLifecycle())
        manager.delivery = .inline
        return manager
    }

    private func manager(_ layer: WaitingLayer) throws -> HTTPManager<AnyTransport> {
        manager(Unlimited(base: try layer.transport(over: FakeTransport { $0.response() })))
    }

    @Test(.needsAllSlots, arguments: WaitingLayer.allCases)
    func `a call completes while all threads of the cooperative pool are blocked`(layer: WaitingLayer) async throws {
        let manager = try manager(layer)
        let status = Watched<Int?>(nil)
        let hasEnded = await BlockedPool.run { done in
            let request = ORARequest(url: WaitingLayer.origin)
            request.compression = true
            request.requestBody = Data(repeating: 7, count: 1000)
            manager.addRequest(request) { response in
                status.update { $0 = response.statusCode }
                done()
            }
        }
        #expect(hasEnded && status.value == 200)
    }

    @Test(arguments: WaitingLayer.allCases, [2, 20, 100])
    func `calls whose callers block a global queue need no further thread of Dispatch`(
        layer: WaitingLayer, count: Int
    ) async throws {
        let manager = try manager(layer)
        let ended = Watched<[Int]>([])
        for number in 0..<count {
            DispatchQueue.global().async {
                let done = DispatchSemaphore(value: 0)
                let status = Watched<Int?>(nil)
                manager.addRequest(ORARequest(url: WaitingLayer.origin + "/\(number % 3)")) { response in
                    status.update { $0 = response.statusCode }
                    done.signal()
                }
                _ = done.waitUnlessHung()
                ended.update { $0.append(status.value ?? 0) }
            }
        }
        #expect(try await ended.wait { $0.count == count }.allSatisfy { $0 == 200 })
    }

    /// An observer that blocks at its first event of a kind, until the test ends.
    private final class BlockingObserver: TransferObserver {
        let isBlocked = Gate()
        private let end = DispatchSemaphore(value: 0)
        private let blocks: @Sendable (TransferEvent) -> Bool

        init(_ blocks: @escaping @Sendable (TransferEvent) -> Bool) { self.blocks = blocks }

        func transfer(didEmit event: TransferEvent) {
            guard blocks(event) else { return }
            isBlocked.open()
            _ = end.waitUnlessHung()
        }

        func release() { for _ in 0..<64 { end.signal() } }
    }

    enum Event: CaseIterable { case head, retry }

    @Test(arguments: Event.allCases)
    func `an observer that blocks stops no other call of its manager, nor of others`(event: Event) async throws {
        let transport = FakeTransport { request in
            guard request.url.path() == "/blocked" else { return request.response() }
            return switch event {
            case .head: request.response()
            case .retry: request.response(.serviceUnavailable)
            }
        }
        let observer = BlockingObserver { emitted in
            switch (event, emitted) {
            case (.head, .head), (.retry, .layer(is RetryEvent)): true
            default: false
            }
        }
        defer { observer.release() }
        let manager = manager(transport)
        let blocked = ORARequest(url: "http://first.test/blocked")
        blocked.requestType = GET
        blocked.observer = observer
        let ledger = CompletionLedger<ORAResponse>()
        manager.addRequest(blocked, completionHandler: ledger.call("blocked").succeed)
        try await observer.isBlocked.wait()
        for number in 0..<20 {
            #expect(await manager.response(to: ORARequest(url: "http://second.test/\(number)")).statusCode == 200)
        }
        #expect(await self.manager(transport).response(to: ORARequest(url: "http://first.test/")).statusCode == 200)
        observer.release()
        try await ledger.waitForAll()
        try ledger.check()
    }

    @Test func `an inline completion handler that blocks stops no other manager, and no async call`() async throws {
        let transport = FakeTransport { $0.response() }
        let (first, second) = (manager(transport), manager(transport))
        let (isBlocked, end) = (Gate(), DispatchSemaphore(value: 0))
        defer { end.signal() }
        first.addRequest(ORARequest(url: "http://first.test/")) { _ in
            isBlocked.open()
            _ = end.waitUnlessHung()
        }
        try await isBlocked.wait()
        for number in 0..<20 {
            #expect(await second.response(to: ORARequest(url: "http://first.test/\(number)")).statusCode == 200)
            #expect(try await first.send(ORARequest(url: "http://first.test/\(number)")).status == .ok)
        }
    }

    @Test func `completion handlers are called in the order of the requests to an origin`() async throws {
        let manager = manager(FakeTransport { $0.response() })
        let order = Watched<[String]>([])
        for number in 0..<300 {
            let request = ORARequest(url: "http://first.test/")
            request.requestTag = "\(number)"
            manager.addRequest(request) { response in order.update { $0.append(response.requestTag ?? "") } }
        }
        #expect(try await order.wait { $0.count == 300 } == (0..<300).map(String.init))
    }
}
