import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import StoreCore
import Synchronization
import TestSupport
import Testing
import VendorServices

@testable import HyperHive

/// Loads of the same tables at once.
@Suite(.needsSlot) struct SyncQueueTests {
    private func waiterCount(_ hive: Hive) throws -> Int {
        try hive.client.databases.database(at: Hive.database).writer.waiterCount
    }

    private func params() -> DeltaStreamCallParams {
        let params = DeltaStreamCallParams()
        params.dataBasePath = Hive.database
        return params
    }

    @Test func `HyperHive 17: the load of a second tap waits for the first one, and finds its rows current`()
        async throws
    {
        try await Hive.serving { hive in
            try await hive.prepare()
            let gate = Gate()
            hive.service.inject(.hold(gate))
            let taps = (0..<2).map { _ in ExactlyOnce<JSONValue>("deltaStreamAsync") }
            var calls: [HHFWCall] = []
            for (index, tap) in taps.enumerated() {
                calls.append(
                    hive.controller.deltaStreamAsync("FRUITS", withCache: true, deltaStreamCallParams: params()) {
                        tap.succeed(envelope($0))
                    })
                if index == 0 { try await gate.waitForWaiters(1) }
            }
            try await eventually("the second load waits") { try waiterCount(hive) == 1 }
            #expect(hive.sent("X-Delta") == ["v0-last"] && taps.allSatisfy { $0.count == 0 })
            gate.open()
            for call in calls { await call.wait() }
            var envelopes: [JSONValue] = []
            for tap in taps {
                guard case .success(let envelope) = try await tap.outcome else { throw CancellationError() }
                envelopes.append(envelope)
                try tap.check()
            }
            #expect(envelopes.map { $0["status"] } == ["ok", "error"])
            #expect(envelopes.map { $0["http"]?["status"] } == [200, 304])
            #expect(hive.sent("X-Delta") == ["v0-last", "v1-last"])
        }
    }

    @Test(arguments: [("FRUITS", 4), ("PRICES", 2)])
    func `a second load waits until the response to the first one is loaded, and dropCache is busy`(
        resource: String, count: Int
    ) async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            for bytes in [nil, 10] {
                let gate = Gate()
                hive.service.inject(.hold(gate, afterBytes: bytes))
                async let first = hive.client.syncDelta(resource, into: Hive.database, usesStoredVersion: false)
                try await gate.waitForWaiters(1)
                async let second = hive.client.syncDelta(resource, into: Hive.database, usesStoredVersion: false)
                try await eventually("the second load waits") { try waiterCount(hive) == 1 }
                let requests = hive.sent("X-Delta").count
                let error = #expect(throws: HyperHiveError.self) {
                    try hive.client.dropCache(of: resource, in: Hive.database)
                }
                #expect(error?.code == .busy && error?.result.errors.first?.source == .sqlite)
                gate.open()
                #expect(try await first.upserts == count)
                #expect(try await second.upserts == count)
                #expect(hive.sent("X-Delta").count == requests + 1)
            }
            #expect(try hive.client.dropCache(of: resource, in: Hive.database).count == 1)
        }
    }

    @Test func `HyperHive 16: a load that is cancelled while it waits sends nothing`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let gate = Gate()
            hive.service.inject(.hold(gate))
            async let first = hive.sync()
            try await gate.waitForWaiters(1)
            let second = Task { await hive.syncError() }
            try await eventually("the second load waits") { try waiterCount(hive) == 1 }
            async let third = hive.sync()
            try await eventually("the third load waits") { try waiterCount(hive) == 2 }
            second.cancel()
            let error = await second.value
            #expect(error?.code == .cancelled && error?.result.status == .cancel && error?.result.errors == [])
            #expect(try waiterCount(hive) == 1 && hive.sent("X-Delta").count == 1)
            gate.open()
            #expect(try await first.upserts == 4)
            #expect(try await third.isNotModified)
        }
    }

    @Test func `a load that fails, and one that waits for its retry, let the next one run`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let gate = Gate()
            hive.service.inject(.hold(gate))
            hive.service.inject(.status(.serviceUnavailable))
            async let first = hive.client.loadTable("FRUITS", into: Hive.database)
            try await gate.waitForWaiters(1)
            async let second = hive.sync(options: HyperHiveCallOptions(retryCount: 1, retryInterval: .seconds(10)))
            try await eventually("the second load waits") { try waiterCount(hive) == 1 }
            gate.open()
            _ = try await first
            try await hive.clock.wait { $0.contains { $0.offset == .seconds(10) } }
            try await hive.sync()
            await hive.clock.advance(by: .seconds(10))
            #expect(try await second.result.retryCount == 1)
        }
    }

    @Test func `HyperHive 5: closing waits for a load, and for the one that waits for it`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let gate = Gate()
            hive.service.inject(.hold(gate))
            async let first = hive.syncError()
            try await gate.waitForWaiters(1)
            async let second = hive.syncError()
            try await eventually("the second load waits") { try waiterCount(hive) == 1 }
            async let closing: Void = onThread { try hive.client.closeDatabase(Hive.database) }
            try await eventually("no load begins") { (try? hive.client.databases.use(Hive.database).end()) == nil }
            gate.open()
            for error in [await first, await second] { #expect(error == nil, "\(error.debugDescription)") }
            try await closing
            #expect(await hive.syncError()?.result.errors.first?.code == 14)
            try hive.client.openDatabase(Hive.database)
            #expect(try hive.rows().contains("Apple"))
        }
    }

    // MARK: Blocked threads

    @Test @MainActor
    func `HyperHive 17: a load that blocks the main thread waits for one that the main actor has begun`() async throws {
        try await Hive.serving { hive in
            try await hive.prepare()
            let gate = Gate()
            hive.service.inject(.hold(gate))
            let first = Task { @MainActor in try await hive.sync() }
            try await gate.waitForWaiters(1)
            let opener = Task.detached {
                try await eventually("the second load waits") { try waiterCount(hive) == 1 }
                gate.open()
            }
            let status = Self.blockMainThread(hive, params())
            #expect(status == 304)
            #expect(try await first.value.upserts == 4)
            try await opener.value
        }
    }

    @MainActor private static func blockMainThread(_ hive: Hive, _ params: DeltaStreamCallParams) -> JSONValue? {
        var status: JSONValue?
        hive.controller.deltaStream("FRUITS", deltaStreamCallParams: params) {
            status = envelope($0)["http"]?["status"]
        }
        return status
    }

    @Test func `a load in a handler of the changes of another one is busy instead of waiting for itself`() async throws
    {
        try await Hive.serving { hive in
            let store = try await hive.prepare()
            let codes = Mutex<[JSONValue?]>([])
            let subscription = store.subscribe { _ in
                let params = DeltaStreamCallParams()
                params.dataBasePath = Hive.database
                hive.controller.deltaStream("FRUITS", deltaStreamCallParams: params) { object in
                    codes.withLock { $0.append(envelope(object)["errors"]?[0]?["code"]) }
                }
            }
            #expect(try await hive.sync().upserts == 4)
            subscription.cancel()
            let busy = codes.withLock(\.self)
            #expect(!busy.isEmpty && busy.allSatisfy { $0 == 5 }, "\(busy)")
            #expect(try await hive.sync().isNotModified)
        }
    }
}
