import Foundation
import HTTPMessages
import PatchbayTestKit
import StoreCore
import Synchronization
import TestSupport
import Testing
import VendorServices

@testable import HyperHive

@Suite(.needsSlot) struct ClosingTests {
    private func load(_ controller: HHFWController, _ handler: @escaping (Any?) -> Void) {
        let params = DeltaStreamCallParams(defaultProperty: ())
        params?.dataBasePath = Hive.database
        controller.deltaStreamAsync("FRUITS", withCache: true, deltaStreamCallParams: params, handler: handler)
    }

    @Test func `HyperHive 5: closing waits for a load, whose database can be used meanwhile, but not loaded into`()
        async throws
    {
        try await Hive.serving { hive in
            try await hive.prepare()
            let controller = hive.controller
            let isClosed = Watched(false)
            let gate = Gate()
            hive.service.inject(.hold(gate, afterBytes: 10))
            async let loaded = result { load(controller, $0) }
            try await gate.waitForWaiters(1)
            async let closed = onThread {
                defer { isClosed.update { $0 = true } }
                return controller.closeBase(Hive.database)
            }
            try await eventually("no load begins") {
                (try? hive.client.databases.use(Hive.database).end()) == nil
            }
            let error = try #require(await hive.syncError("PRICES"))
            #expect(error.code == .database && error.message.contains("is being closed"))
            #expect(controller.query(Hive.database, query: "SELECT 1")?.contains("\"ok\"") == true)
            #expect(!isClosed.value)
            gate.open()
            let envelope = await loaded
            #expect(envelope["status"] == "ok", "\(envelope)")
            #expect(try await closed)
            #expect(await hive.syncError()?.message.contains("is not open") == true)
            #expect(controller.openBase(Hive.database, key: ""))
            #expect(try hive.rows().contains("Apple"))
        }
    }

    @Test func `HyperHive 5: closing waits for a load that was called before, also if its work has not begun`()
        async throws
    {
        try await Hive.serving { hive in
            try await hive.prepare()
            let controller = hive.controller
            let ended = Watched<[JSONValue]>([])
            let isClosed = try await onThread {
                load(controller) { object in ended.update { $0.append(envelope(object)) } }
                controller.resources(Hive.database) { object in ended.update { $0.append(envelope(object)) } }
                return controller.closeBase(Hive.database)
            }
            #expect(isClosed)
            #expect(try await ended.wait { $0.count == 2 }.allSatisfy { $0["status"] == "ok" })
            // A call that fails before it loads is not waited for either.
            #expect(controller.openBase(Hive.database, key: ""))
            controller.initWithCredentials(nil, host: "", environment: nil, project: nil, device: nil)
            let failed = await result { load(controller, $0) }
            #expect(failed["status"] == "error")
            #expect(try await onThread { controller.closeBase(Hive.database) })
        }
    }

    @Test @MainActor
    func `HyperHive 5: closing while the main thread is blocked waits for a call that the main actor has begun`()
        async throws
    {
        try await Hive.serving { hive in
            try await hive.prepare()
            let gate = Gate()
            hive.service.inject(.hold(gate), at: .schema)
            let resources = Task { @MainActor in try await hive.client.loadResources(into: Hive.database) }
            try await gate.waitForWaiters(1)
            let opener = Task.detached {
                try await eventually("no load begins") {
                    (try? hive.client.databases.use(Hive.database).end()) == nil
                }
                gate.open()
            }
            #expect(onSmallThread { hive.controller.closeBase(Hive.database) })
            #expect(try await resources.value.count == 3)
            try await opener.value
        }
    }

    @Test func `HyperHive 5: closing waits for the retries of a load`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            hive.service.inject(.status(.serviceUnavailable))
            async let loaded = hive.sync(options: .init(retryCount: 1, retryInterval: .seconds(10)))
            try await hive.clock.wait { $0.contains { $0.offset == .seconds(10) } }
            async let closed = onThread { hive.controller.closeBase(Hive.database) }
            try await eventually("no load begins") { (try? hive.client.databases.use(Hive.database).end()) == nil }
            await hive.clock.advance(by: .seconds(10))
            #expect(try await loaded.upserts == 4)
            #expect(try await closed)
        }
    }

    @Test func `HyperHive 5: closing within a load is refused, and other calls there work`() async throws {
        try await Hive.serving { hive in
            let store = try await hive.prepare()
            let controller = hive.controller
            let outcomes = Mutex<[Bool]>([])
            controller.log = { _ in }
            let subscription = store.subscribe { _ in
                let isQueried = controller.query(Hive.database, query: "SELECT 1")?.contains("\"ok\"") == true
                let outcome = [
                    controller.closeBase(Hive.database), controller.openBase(Hive.database, key: ""), isQueried,
                ]
                outcomes.withLock { $0 = outcome }
            }
            #expect(try await hive.sync().upserts == 4)
            subscription.cancel()
            #expect(outcomes.withLock { $0 } == [false, true, true])
            #expect(controller.lastError?.message.contains("within a load") == true)
            #expect(try await onThread { controller.closeBase(Hive.database) })
        }
    }
}
