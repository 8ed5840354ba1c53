import Foundation
import HTTPMessages
import PatchbayTestKit
import SQLiteStore
import StoreCore
import Synchronization
import TestSupport
import Testing
import VendorServices

/// Each order has one effect, though the process that sends them is killed again and again.
///
/// `PATCHBAY_OUTBOX_KILLS` sets the number of kills; the default is a few dozen, and a long run 2000.
@Suite(.serialized, .needsSlot, .enabled(if: OutboxChild.exists, "outbox-sender is not built"))
struct OutboxCrashTests {
    private static let kills = ProcessInfo.processInfo.environment["PATCHBAY_OUTBOX_KILLS"].flatMap(Int.init) ?? 40

    @Test func `8: kill -9 at any point loses no entry, and sends none twice under two keys`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("orders.sqlite")
        let random = Mutex(SeededGenerator(seed: 39))
        // Some responses are late, so that kills come between an effect and its response.
        let service = OrderService { _ in
            let wait = random.withLock { Int.random(in: 0...3, using: &$0) }
            if wait == 0 { try await Task.sleep(for: .milliseconds(2)) }
        }
        let server = try LoopbackServer(service: service)
        var orders = 0
        var kinds: [String: Int] = [:]
        for round in 0..<Self.kills {
            let (isCounted, number) = random.withLock { (round % 2 == 0, Int.random(in: 1...30, using: &$0)) }
            orders += 10
            let before = service.requestCount
            let child = try OutboxChild(path, server.url, orders: orders)
            if isCounted {
                // At a request: after its effect, and before the child has committed its response.
                let isThere = Task { try await service.waitForRequests(before + number) }
                // The child may have ended before: then there are no further requests.
                let isDone = Task { [orders] in
                    try await service.effects(count: orders)
                    isThere.cancel()
                }
                try? await isThere.value
                isDone.cancel()
            } else {
                // Anywhere: while it starts, adds, sends, or after its end.
                try await Task.sleep(for: .milliseconds(number * 4))
            }
            child.kill()
            kinds[isCounted ? "at a request" : "anywhere", default: 0] += 1
        }
        let last = try OutboxChild(path, server.url, orders: orders)
        #expect(await last.output().hasSuffix("sent\n"))
        await server.stop()

        let store = try SQLiteStore(.file(path))
        let keys = try store.values(of: String.self, "SELECT key FROM \"order\" ORDER BY id")
        let effects = service.effects
        #expect(keys.count == orders)
        // No order is lost, none has two effects, and no effect is of another key.
        #expect(effects.count == orders && Set(effects.map(\.idempotencyKey)) == Set(keys))
        let bodies = effects.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(Set(bodies).count == orders)
        // Orders of one customer are in order.
        let numbers = bodies.compactMap { Int($0.dropFirst("order ".count)) }
        for customer in 0..<7 {
            let own = numbers.filter { $0 % 7 == customer }
            #expect(own == own.sorted())
        }
        #expect(try store.value(of: Int.self, "SELECT count(*) FROM patchbay_outbox") == 0)
        #expect(try store.value(of: Int.self, "SELECT count(*) FROM patchbay_outbox_responses") == orders)
        #expect(service.requestCount >= orders)
        try store.close()
    }
}
