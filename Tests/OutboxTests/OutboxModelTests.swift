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

/// Random runs of outboxes, with faults, relaunches, sign-outs and two senders, against a model.
///
/// `PATCHBAY_OUTBOX_RUNS` sets the number of runs; the default is a hundred, and a long run 10000.
@Suite(.needsSlot) struct OutboxModelTests {
    private static let runs =
        ProcessInfo.processInfo.environment["PATCHBAY_OUTBOX_RUNS"].flatMap(Int.init) ?? 100

    @Test(arguments: [StoreSubject.memory, .sqliteInMemory])
    func `8: each entry has one effect, those of a key in order, each by its user`(subject: StoreSubject) async throws {
        for run in 0..<Self.runs { try await ModelRun(subject, seed: UInt64(run)).run() }
    }
}

/// One random run: a model of what was added, and the outboxes that send it.
private final class ModelRun {
    private struct Added {
        let text: String
        let key: String
        let user: String?
    }

    private let seed: UInt64
    private var random: SeededGenerator
    private let world: OutboxWorld
    private let signedIn = Watched<String?>(nil)
    private var added: [Added] = []
    private var outboxes: [Outbox] = []

    init(_ subject: StoreSubject, seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        world = try OutboxWorld(subject)
    }

    func run() async throws {
        outboxes = [try open(), try open()]
        for _ in 0..<30 {
            switch Int.random(in: 0..<14, using: &random) {
            case 0...6: try add()
            case 7...8: fail()
            case 9: try await relaunch()
            case 10: try await changeUser()
            case 11: world.network.set(Bool.random(using: &random) ? .unreachable : .reachable)
            case 12: await Task.yield()
            default: try rollBack()
            }
        }
        try await finish()
    }

    private func open() throws -> Outbox {
        let signedIn = signedIn
        let transport = world.transport.modifyingRequests { request in
            if let user = signedIn.value { try request.fields.set(.authorization, to: user) }
        }
        return try world.open(over: transport, user: signedIn.value) {
            $0.leaseDuration = .milliseconds(2)
            $0.maximumConcurrent = 3
        }
    }

    private func one(of outboxes: [Outbox]) -> Outbox { outboxes[Int.random(in: 0..<outboxes.count, using: &random)] }

    private func add() throws {
        let entry = Added(
            text: "\(added.count)", key: ["a", "b", "c"][Int.random(in: 0..<3, using: &random)], user: signedIn.value)
        var request = try OutboxWorld.request(.post, "/orders", entry.text)
        request.options.priority = RequestPriority(level: Int.random(in: 0..<3, using: &random))
        try one(of: outboxes).add(request, key: entry.key, as: entry.text)
        added.append(entry)
    }

    private func rollBack() throws {
        struct Refused: Error {}
        let outbox = one(of: outboxes)
        #expect(throws: Refused.self) {
            try world.transact {
                try outbox.add(OutboxWorld.request(.post, "/orders", "never"), key: "a", as: "never")
                throw Refused()
            }
        }
    }

    private func fail() {
        let faults: [OrderService.Fault] = [
            .status(.serviceUnavailable), .status(.tooManyRequests), .status(.badRequest), .lostResponse,
        ]
        world.service.inject(faults[Int.random(in: 0..<4, using: &random)], for: .post)
    }

    private func relaunch() async throws {
        let index = Int.random(in: 0..<2, using: &random)
        if Bool.random(using: &random) { await outboxes[index].close() }
        // Without that, the old one ends when it is released, beside the new one.
        outboxes[index] = try open()
    }

    private func changeUser() async throws {
        let next = [nil, "ada", "tea"][Int.random(in: 0..<3, using: &random)]
        guard next != signedIn.value else { return }
        for outbox in outboxes { try await outbox.signOut() }
        signedIn.update { $0 = next }
        if let next { for outbox in outboxes { try await outbox.signIn(as: next) } }
    }

    /// Signs each user in until nothing is left, and compares the effects with what was added.
    private func finish() async throws {
        world.network.set(.reachable)
        for user in [nil, "ada", "tea"] {
            for outbox in outboxes { try await outbox.signOut() }
            signedIn.update { $0 = user }
            if let user { for outbox in outboxes { try await outbox.signIn(as: user) } }
            // What has failed is sent again; the numbers of one outbox do not tell of the other's work.
            while try !(outboxes[0].entries() + outboxes[0].failures).isEmpty {
                for failure in try outboxes[0].failures { try? outboxes[0].retry(failure.id) }
                outboxes[1].sendNow()
                outboxes[0].sendNow()
                try await Task.sleep(for: .microseconds(500))
            }
        }
        for outbox in outboxes { await outbox.close() }
        let effects = world.service.effects
        let bodies = world.bodies
        #expect(bodies.count == added.count && Set(bodies) == Set(added.map(\.text)), "seed \(seed)")
        #expect(Set(effects.map(\.idempotencyKey)).count == added.count, "seed \(seed)")
        for (entry, effect) in effectsByText(effects) where entry.user != nil {
            #expect(effect.authorization == entry.user, "seed \(seed)")
        }
        for group in Dictionary(grouping: added, by: { "\($0.user ?? "")/\($0.key)" }).values {
            let texts = Set(group.map(\.text))
            #expect(bodies.filter(texts.contains) == group.map(\.text), "seed \(seed)")
        }
    }

    private func effectsByText(_ effects: [OrderService.Effect]) -> [(Added, OrderService.Effect)] {
        effects.compactMap { effect in
            added.first { Data($0.text.utf8) == effect.body }.map { ($0, effect) }
        }
    }
}
