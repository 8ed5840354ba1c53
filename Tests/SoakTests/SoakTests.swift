import Foundation
import HTTPMessages
import HyperHive
import Outbox
import PatchbayTestKit
import TestSupport
import Testing
import VendorServices

/// All clients at once over one engine, with random faults, cancellations and sign-outs.
///
/// `PATCHBAY_SOAK` sets the number of calls, 1,000 by default; `.ci/nightly` makes ten times 20,000.
/// `PATCHBAY_SOAK_SEED` sets the seed.
@Suite struct SoakTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["PATCHBAY_SOAK"].flatMap(Int.init) ?? 1000
    private static let seed = environment["PATCHBAY_SOAK_SEED"].flatMap(UInt64.init) ?? 1
    private static let workers = 16

    @Test(.needsAllSlots)
    func `each call ends once, each effect happens once, and no user gets data of another`() async throws {
        let faults = RandomFaults(
            seed: Self.seed, noFault: 60,
            [
                .reset(.beforeHead): 1, .reset(.inBody): 1, .close(.beforeHead): 1, .close(.inBody): 1,
                .overstatedLength: 1, .status(.internalServerError): 1, .status(.serviceUnavailable): 1,
                .latency(.milliseconds(2)): 3,
            ])
        let service = SoakService()
        var settings = HyperHiveService.Configuration()
        settings.resources = [
            .init("STOCK", tables: [.init("articles", [.init("id", .bigint), .init("label")], generated: 50)])
        ]
        let hiveService = HyperHiveService(settings)
        let limits = LoopbackServer.Limits(recordedRequests: 0)
        let server = try LoopbackServer(
            limits: limits, script: { [.respond(with: service, fault: faults[$0.number])] })
        let hiveServer = try hiveService.startServer(limits: limits)
        let world = try SoakWorld(service, server, hive: hiveServer)
        try await run(world)
        // Of a soak that timed out the calls have no end.
        try Task.checkCancellation()
        try await finishOrders(world)
        let violations = world.tally.violations(service.effectCounts)
        #expect(violations.isEmpty, "seed \(Self.seed): \(violations.count) violations: \(violations.prefix(10))")
        try await world.close()
        await server.stop()
        await hiveServer.stop()
    }

    private func run(_ world: SoakWorld) async throws {
        try await world.hive.signIn("ann", password: "open sesame")
        _ = try world.hive.openDatabase("soak-hive.sqlite")
        try await world.hive.loadResources(into: "soak-hive.sqlite")
        var holdings: [Holdings] = []
        for part in 0..<5 {
            await runPart(world, part)
            holdings.append(.now)
        }
        print("soak, \(TestTransport.engine), seed \(Self.seed), \(world.tally.count) calls: \(world.tally.summary)")
        print("    after each fifth: \(holdings.map(\.description))")
        // Each worker may have left connections open, of all clients: two descriptors, and a thread of the server.
        let slack = Self.workers * 4
        #expect(holdings[4].descriptors <= holdings[1].descriptors + slack, "\(holdings)")
        #expect(holdings[4].threads <= holdings[1].threads + slack, "\(holdings)")
        // The tally itself grows; what leaks in each call is far more in a long soak.
        #expect(holdings[4].megabytes <= holdings[1].megabytes * 2 + 64, "\(holdings)")
    }

    private func runPart(_ world: SoakWorld, _ part: Int) async {
        let next = Watched(part * Self.count / 5)
        let end = (part + 1) * Self.count / 5
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<Self.workers {
                group.addTask {
                    var random = SeededGenerator(seed: Self.seed &+ UInt64(part * Self.workers + worker) &* 7919)
                    while true {
                        let number = next.update { number in
                            defer { number += 1 }
                            return number
                        }
                        guard number < end, !Task.isCancelled else { return }
                        let kinds = SoakWorld.Kind.allCases
                        let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
                        let isCancelled = Int.random(in: 0..<5, using: &random) == 0
                        let delay = Int.random(in: 0..<4000, using: &random)
                        await world.run(kind, number, cancelledAfter: isCancelled ? .microseconds(delay) : nil)
                    }
                }
            }
            group.addTask {
                var random = SeededGenerator(seed: Self.seed &+ UInt64(part))
                while next.value < end, !Task.isCancelled {
                    await world.changeUsers(using: &random)
                    try? await Task.sleep(for: .milliseconds(Int.random(in: 1...20, using: &random)))
                }
            }
        }
    }

    /// Signs each user in until the outbox is empty, and compares the effects with what was added.
    private func finishOrders(_ world: SoakWorld) async throws {
        for user in SoakService.users {
            try await world.signIn(user)
            let end = ContinuousClock.now + .seconds(120)
            while case let left = try world.outbox.entries() + world.outbox.failures, !left.isEmpty {
                try #require(ContinuousClock.now < end, "seed \(Self.seed): orders of \(user) stay: \(left.prefix(10))")
                for failure in try world.outbox.failures { try? world.outbox.retry(failure.id) }
                world.outbox.sendNow()
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        let (effects, added) = (world.service.orders.effects, world.addedOrders)
        #expect(effects.count == added.count, "\(added.count) orders were added")
        #expect(Set(effects.map(\.body)).count == effects.count, "an order was made twice")
        for effect in effects {
            let text = String(decoding: effect.body, as: UTF8.self)
            guard let user = added[text] else { continue }
            #expect(user == nil || effect.authorization == user, "order \(text) of \(user ?? "") by another user")
        }
    }
}
