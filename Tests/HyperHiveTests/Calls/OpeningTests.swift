import Dispatch
import Foundation
import HTTPMessages
import LocalStore
import PatchbayTestKit
import StoreCore
import Synchronization
import TestSupport
import Testing
import Transport
import VendorServices

@testable import HyperHive

@Suite(.needsSlot) struct OpeningTests {
    private static func threadName() -> String? { Thread.current.name }

    /// Not in the test itself, whose closures without `await` belong to the main actor.
    private static func workerName() async throws -> String? { try await BlockingWork.run { threadName() } }

    @Test @MainActor func `what blocked callers wait for runs on no thread of Dispatch, which they may use up`()
        async throws
    {
        let worker = try await Self.workerName()
        let names = Mutex([worker])
        var options = HyperHiveOptions()
        options.openStore = { _, _ in
            names.withLock { $0.append(Self.threadName()) }
            return MemoryStore()
        }
        let client = HyperHive(
            HyperHiveConfiguration(host: "http://hive.test", environment: "e", project: "p", device: "d"),
            transport: FakeTransport { request in
                names.withLock { $0.append(Self.threadName()) }
                return request.response(.notFound)
            }, options: options)
        // The opening, and the request of the schema.
        await #expect(throws: HyperHiveError.self) { try await client.syncDelta("FRUITS") }
        #expect(names.withLock(\.self) == ["patchbay.hive", "patchbay.hive", "patchbay.hive"])
    }

    /// Runs a test with a signed-in user, whose databases open after a signal.
    private func serving(
        _ mayOpen: DispatchSemaphore, _ openings: Watched<Int>, _ body: (Hive) async throws -> Void
    ) async throws {
        try await Hive.serving(options: { options in
            options.openStore = { path, key in
                openings.update { $0 += 1 }
                _ = mayOpen.waitUnlessHung()
                return try DatabaseRegistry.openStore(path, key)
            }
        }) { hive in
            try await hive.client.signIn("ann", password: "open sesame")
            try await body(hive)
        }
    }

    private func load(_ resource: String, _ hive: Hive) -> Task<JSONValue, Never> {
        Task {
            await result {
                hive.controller.deltaStreamAsync(resource, withCache: true, deltaStreamCallParams: nil, handler: $0)
            }
        }
    }

    @Test func `HyperHive 17: two loads at launch use the default database, which the first one opens`() async throws {
        let openings = Watched(0)
        let mayOpen = DispatchSemaphore(value: 0)
        try await serving(mayOpen, openings) { hive in
            let loads = ["FRUITS", "PRICES"].map { load($0, hive) }
            try await eventually("one load waits for the other") { hive.client.databases.waiterCount == 1 }
            mayOpen.signal()
            for load in loads {
                let envelope = await load.value
                #expect(envelope["status"] == "ok", "\(envelope)")
            }
            #expect(openings.value == 1)
            #expect(hive.controller.closeDefaultBase())
        }
    }

    @Test func `HyperHive 5: closing the default database waits for the load that is opening it`() async throws {
        let openings = Watched(0)
        let mayOpen = DispatchSemaphore(value: 0)
        try await serving(mayOpen, openings) { hive in
            let loaded = load("FRUITS", hive)
            _ = try await openings.wait { $0 == 1 }
            async let closed = onThread { hive.controller.closeDefaultBase() }
            try await eventually("the closing waits for the opening") { hive.client.databases.waiterCount == 1 }
            mayOpen.signal()
            let envelope = await loaded.value
            #expect(envelope["status"] == "ok", "\(envelope)")
            #expect(try await closed)
        }
    }
}
