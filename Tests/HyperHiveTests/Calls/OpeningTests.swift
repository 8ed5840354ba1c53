import Dispatch
import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import VendorServices

@testable import HyperHive

@Suite(.needsSlot) struct OpeningTests {
    @Test func `HyperHive 17: two loads at launch use the default database, which the first one opens`() async throws {
        let openings = Mutex(0)
        let mayOpen = DispatchSemaphore(value: 0)
        try await Hive.serving(options: { options in
            options.openStore = { path, key in
                openings.withLock { $0 += 1 }
                _ = mayOpen.waitUnlessHung()
                return try DatabaseRegistry.openStore(path, key)
            }
        }) { hive in
            let controller = hive.controller
            try await hive.client.signIn("ann", password: "open sesame")
            let loads = ["FRUITS", "PRICES"].map { resource in
                Task {
                    await result {
                        controller.deltaStreamAsync(
                            resource, withCache: true, deltaStreamCallParams: nil, handler: $0)
                    }
                }
            }
            try await eventually("one load waits for the other") { hive.client.databases.waiterCount == 1 }
            mayOpen.signal()
            for load in loads {
                let envelope = await load.value
                #expect(envelope["status"] == "ok", "\(envelope)")
            }
            #expect(openings.withLock { $0 } == 1)
            #expect(controller.closeDefaultBase())
        }
    }
}
