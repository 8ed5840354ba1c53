import Foundation
import HTTPMessages
import PatchbayTestKit
import StoreCore
import StoreTestSupport
import TestSupport
import Testing
import VendorServices

@testable import Outbox

@Suite(.needsSlot) struct EntryTableTests {
    private static func row(_ number: Int, key: String?, user: String = "") -> EntryRow {
        EntryRow.sample {
            ($0.idempotencyKey, $0.key, $0.user, $0.phase) = ("k\(number)", key, user, .added)
            ($0.sender, $0.attempts) = (nil, 0)
        }
    }

    private static func rows(_ table: EntryTable) throws -> [EntryRow] {
        try table.rows("WHERE number > 0 ORDER BY number", [])
    }

    @Test(arguments: StoreSubject.all)
    func `of the new entries the first of each key is ready, in any parts`(subject: StoreSubject) async throws {
        let world = try OutboxWorld(subject)
        try StateTable(store: world.store).open()
        let table = EntryTable(store: world.store)
        // In transactions, since a store waits for the disk after each one.
        for seed in 0..<20 { try world.transact { try Self.check(table, seed: UInt64(seed)) } }
    }

    private static func check(_ table: EntryTable, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try table.store.execute("DELETE FROM patchbay_outbox", [])
        for step in 0..<60 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0...2:
                let key = [nil, "a", "b", "c"][Int.random(in: 0..<4, using: &random)]
                _ = try table.add(row(step, key: key, user: Bool.random(using: &random) ? "ada" : ""))
            case 3...4:
                let limit = Int.random(in: 1...3, using: &random)
                let count = try rows(table).count { $0.phase == .added }
                // Whether there are more is known for less than the limit only.
                #expect(try table.admit(limit: limit) == (count >= limit))
            default:
                // Also the last one, whose number is then used again.
                guard let row = try rows(table).randomElement(using: &random) else { continue }
                try table.remove(row)
            }
            try check(table, "seed \(seed), step \(step)")
        }
        try table.admit()
        #expect(try !rows(table).contains { $0.phase == .added })
    }

    /// The new entries are the last ones; of the others of a key the first one is ready, those behind it are blocked.
    private static func check(_ table: EntryTable, _ place: String) throws {
        let rows = try rows(table)
        let admitted = rows.prefix { $0.phase != .added }
        #expect(rows.dropFirst(admitted.count).allSatisfy { $0.phase == .added }, "\(place)")
        var keys: Set<String> = []
        for row in admitted {
            let isFirst = row.key.map { keys.insert("\(row.user)/\($0)").inserted } ?? true
            #expect(row.phase == (isFirst ? .ready : .blocked), "\(place), number \(row.number)")
        }
    }

    @Test(arguments: StoreSubject.all)
    func `an entry that is not admitted can be seen, counted, edited, discarded and collapsed`(subject: StoreSubject)
        async throws
    {
        let world = try OutboxWorld(subject)
        let outbox = try world.open { $0.startsPaused = true }
        let ids = try (1...4).map {
            try outbox.add(OutboxWorld.request(.post, "/orders", "\($0)"), key: "a", as: "n").id
        }
        #expect(try Self.rows(EntryTable(store: world.store)).allSatisfy { $0.phase == .added })
        #expect(try outbox.entries().map(\.id) == ids)
        #expect(try await outbox.currentStatus().waiting == 4)
        try outbox.discard(ids[1])
        let edited = try outbox.edit(ids[2]) { try $0.setBody(.text("edited")) }
        #expect(try outbox.entry(edited)?.state == .waiting)
        await outbox.close()
        let next = try world.open {
            $0.startsPaused = true
            $0.collapsing = { _, _ in .replaceEntry }
        }
        let ticket = try next.add(OutboxWorld.request(.post, "/orders", "replaced"), key: "a", as: "n")
        #expect(ticket.outcome == .replaced && ticket.id.number == ids[3].number)
        next.resume()
        try await next.drained()
        #expect(world.bodies == ["1", "edited", "replaced"])
        await next.close()
    }

    @Test func `what waits behind a failed entry is held before it is admitted`() async throws {
        let world = try OutboxWorld()
        world.service.inject(.status(.badRequest), for: .post)
        let outbox = try world.open()
        try outbox.add(OutboxWorld.request(), key: "a", as: "n")
        try await outbox.status { $0.failed == 1 }
        outbox.pause()
        try outbox.add(OutboxWorld.request(), key: "a", as: "n")
        try outbox.add(OutboxWorld.request(), key: "b", as: "n")
        let status = try await outbox.currentStatus()
        #expect(status.waiting == 2 && status.held == 1)
        await outbox.close()
    }
}
