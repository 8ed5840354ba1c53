import Delegation
import Dispatch
import Foundation
import HTTPMessages
import LocalStore
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing
import Transport
import VendorServices

@testable import HyperHive

/// Calls while the app blocks the threads of the platform.
@Suite(.needsSlot) struct BlockedThreadsTests {
    /// A signed-in controller with an open database, over a layer and a service without a socket.
    private static func controller(_ layer: WaitingLayer) async throws -> HHFWController {
        let service = HyperHiveService(.init())
        let client = HyperHive(
            HyperHiveConfiguration(host: WaitingLayer.origin, environment: "work", project: "shop", device: "device-1"),
            transport: try layer.transport(over: FakeTransport { try await service.respond(to: $0) }))
        try await client.signIn("ann", password: "open sesame")
        try client.openDatabase(":memory:")
        let controller = HHFWController(client: client)
        controller.delivery = .inline
        return controller
    }

    private static func params() -> DeltaStreamCallParams {
        let params = DeltaStreamCallParams()
        params.dataBasePath = ":memory:"
        return params
    }

    @Test(.needsAllSlots, arguments: WaitingLayer.allCases)
    func `HyperHive 17: loads complete while all threads of the cooperative pool are blocked`(
        layer: WaitingLayer
    ) async throws {
        let controller = try await Self.controller(layer)
        let statuses = Mutex<[JSONValue?]>([])
        let hasEnded = await BlockedPool.run { done in
            let tables = ["FRUITS", "PRICES"]
            for table in tables {
                controller.deltaStreamAsync(table, withCache: true, deltaStreamCallParams: Self.params()) { object in
                    let count = statuses.withLock { statuses in
                        statuses.append(envelope(object)["status"])
                        return statuses.count
                    }
                    if count == tables.count { done() }
                }
            }
        }
        #expect(hasEnded && statuses.withLock(\.self) == ["ok", "ok"])
    }

    @Test(arguments: WaitingLayer.allCases, [2, 20, 100])
    func `HyperHive 17: blocking loads from a global queue need no further thread of Dispatch`(
        layer: WaitingLayer, count: Int
    ) async throws {
        let controller = try await Self.controller(layer)
        let ended = Watched<[JSONValue?]>([])
        for number in 0..<count {
            DispatchQueue.global().async {
                let params = Self.params()
                // Some tables are those of one call, others are shared.
                params.data = number.isMultiple(of: 2) ? "" : "{\"IV_REGION\": \"\(number)\"}"
                controller.deltaStream("FRUITS", deltaStreamCallParams: params) { object in
                    let envelope = envelope(object)
                    ended.update { $0.append(envelope["status"] == "ok" ? 200 : envelope["http"]?["status"]) }
                }
            }
        }
        let statuses = try await ended.wait { $0.count == count }
        #expect(statuses.allSatisfy { $0 == 200 || $0 == 304 }, "\(Set(statuses))")
    }

    @Test(.needsAllSlots, arguments: WaitingLayer.allCases)
    func `HyperHive 17: a call without a database completes while all threads are blocked`(
        layer: WaitingLayer
    ) async throws {
        let controller = try await Self.controller(layer)
        let status = Mutex<JSONValue?>(nil)
        let hasEnded = await BlockedPool.run { done in
            controller.tableAsync("FRUITS", transactionID: nil, tableCallParams: nil) { object in
                status.withLock { $0 = envelope(object)["status"] }
                done()
            }
        }
        #expect(hasEnded && status.withLock(\.self) == "ok")
    }
}
