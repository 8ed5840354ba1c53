import Delegation
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import Queueing
import Synchronization
import TestSupport
import Testing

@Suite("Oracle 7: in the background", .needsSlot) struct BackgroundTests {
    private let gate = Gate()
    private let bench: Bench
    private let ledger = CompletionLedger<ORAResponse>()

    init() throws { bench = try Bench(ScriptedTransport([.after(gate, .status(.ok))], then: .status(.ok))) }

    private func setBackgroundTask(_ value: String) {
        #expect(
            ORACoreDataContainer(store: bench.settings).putValue(value, forKey: ORAConfigHTTPBackgroundTaskEnabled()))
    }

    /// Adds requests, of which the first is held up in the transport.
    private func addThree() async throws -> ExactlyOnce<ORAResponse> {
        let request = ORARequest(url: "http://oracle.test/")
        request.requestTag = "first"
        let first = ExactlyOnce<ORAResponse>("first")
        bench.manager.addRequest(request, completionHandler: first.succeed)
        for name in ["second", "third"] { bench.add(name, into: ledger) }
        try await gate.waitForArrivals(1)
        try await bench.waitForWaiting(2)
        return first
    }

    @Test("what runs is finished, the rest waits for the app to come back") func pauses() async throws {
        let first = try await addThree()
        bench.lifecycle.enterBackground()
        gate.open()
        _ = try await first.outcome
        bench.add("immediate", Immediate, into: ledger)
        try await bench.waitForWaiting(3)
        #expect(bench.sent == ["first"])
        #expect(bench.manager.queue.runningCount == 0 && bench.lifecycle.backgroundTimes == 0)
        bench.lifecycle.enterForeground()
        try await ledger.waitForAll()
        #expect(bench.sent == ["first", "immediate", "second", "third"])
        try ledger.check()
    }

    @Test("a request that waits in the background can be cancelled there") func cancelled() async throws {
        bench.lifecycle.enterBackground()
        let call = bench.add("first", into: ledger)
        try await bench.waitForWaiting(1)
        call.cancel()
        let ends = try await ledger.waitForAll()
        #expect((ends[0].response?.error as? ORAError)?.code == .cancelled)
    }

    @Test("with the setting on nothing pauses, and time is asked for until all is done") func goesOn() async throws {
        setBackgroundTask("true")
        _ = try await addThree()
        bench.lifecycle.enterBackground()
        #expect(bench.lifecycle.backgroundTimes == 1)
        gate.open()
        try await ledger.waitForAll()
        #expect(bench.sent == ["first", "second", "third"])
        try await eventually { bench.lifecycle.backgroundTimes == 0 }
    }

    @Test("when the time is over the rest waits") func expired() async throws {
        setBackgroundTask("true")
        let first = try await addThree()
        bench.lifecycle.enterBackground()
        bench.lifecycle.expireBackgroundTime()
        #expect(bench.lifecycle.backgroundTimes == 0)
        gate.open()
        _ = try await first.outcome
        #expect(bench.sent == ["first"] && bench.manager.queue.waitingCount == 2)
        bench.lifecycle.enterForeground()
        try await ledger.waitForAll()
        #expect(bench.sent == ["first", "second", "third"])
    }

    @Test("a time that is said to be over when the next has begun changes nothing") func expiredLate() async throws {
        setBackgroundTask("true")
        let lifecycle = LateLifecycle()
        let manager = HTTPManager(
            transport: ScriptedTransport([.status(.ok)], then: .after(gate, .status(.ok))), settings: bench.settings,
            lifecycle: lifecycle)
        manager.delivery = .inline
        lifecycle.states.enterBackground()
        _ = await manager.response(to: ORARequest(url: "http://oracle.test/"))
        try await eventually { lifecycle.given >= 1 }
        let ends = (0..<2).map { ExactlyOnce<ORAResponse>("\($0)") }
        for end in ends { manager.addRequest(ORARequest(url: "http://oracle.test/"), completionHandler: end.succeed) }
        lifecycle.expire(0)
        #expect(lifecycle.begun == 2 && lifecycle.given == 1)
        gate.open()
        for end in ends { _ = try await end.outcome }
    }

    @Test("a pause of the program's own outlives the background") func programsPause() async throws {
        gate.open()
        bench.manager.queue.pause()
        bench.add("one", into: ledger)
        try await bench.waitForWaiting(1)
        bench.lifecycle.enterBackground()
        bench.lifecycle.enterForeground()
        #expect(bench.manager.queue.snapshot.pauses == [.program] && bench.manager.queue.waitingCount == 1)
        bench.lifecycle.enterBackground()
        bench.manager.queue.resume()
        #expect(bench.manager.queue.snapshot.isPaused && bench.sent == [])
        bench.lifecycle.enterForeground()
        try await ledger.waitForAll()
        #expect(bench.sent == ["one"])
    }

    @Test("a repetition waits for the app to come back, like the rest") func repetition() async throws {
        let bench = try Bench(
            ScriptedTransport([.after(gate, .status(.serviceUnavailable))], then: .status(.ok)))
        bench.add("one", into: ledger)
        try await gate.waitForArrivals(1)
        bench.lifecycle.enterBackground()
        gate.open()
        try await bench.waitForWaiting(1)
        #expect(bench.sent == ["one"] && bench.manager.queue.runningCount == 0)
        bench.lifecycle.enterForeground()
        let ends = try await ledger.waitForAll()
        #expect(bench.sent == ["one", "one"] && ends[0].response?.httpResponse?.status == .ok)
    }

    @Test("the setting is read at each transition, and counts no sooner") func readAtTransition() async throws {
        for (value, waiting) in [("true", 0), ("false", 1), ("true", 0)] {
            let bench = try Bench(ScriptedTransport([], then: .status(.ok)))
            let core = ORACoreDataContainer(store: bench.settings)
            core.putValue(value, forKey: ORAConfigHTTPBackgroundTaskEnabled())
            bench.lifecycle.enterBackground()
            core.putValue(value == "true" ? "false" : "true", forKey: ORAConfigHTTPBackgroundTaskEnabled())
            let ledger = CompletionLedger<ORAResponse>()
            bench.add("one", into: ledger)
            if waiting == 1 {
                try await bench.waitForWaiting(1)
                bench.lifecycle.enterForeground()
            }
            try await ledger.waitForAll()
            #expect(bench.sent == ["one"])
            // The other value counts from the next transition on.
            if value == "true" {
                bench.lifecycle.enterForeground()
                bench.lifecycle.enterBackground()
                bench.add("two", into: ledger)
                try await bench.waitForWaiting(1)
                #expect(bench.sent == ["one"])
                bench.lifecycle.enterForeground()
                try await ledger.waitForAll()
            }
        }
    }

    @Test("the setting survives a restart") func survives() async throws {
        setBackgroundTask("true")
        let lifecycle = ORAManualLifecycle()
        let nextLaunch = HTTPManager(
            transport: ScriptedTransport([], then: .status(.ok)), settings: ORASettingsStore(file: bench.settings.file),
            lifecycle: lifecycle)
        nextLaunch.delivery = .inline
        lifecycle.enterBackground()
        let response = await nextLaunch.response(to: ORARequest(url: "http://oracle.test/"))
        #expect(response.error == nil)
    }

    @Test("it is UIKit's notifications that count by default") func notifications() async throws {
        let center = NotificationCenter()
        let manager = HTTPManager(
            transport: bench.transport, settings: bench.settings, lifecycle: ORANotifiedLifecycle(center: center))
        manager.delivery = .inline
        gate.open()
        center.post(name: Notification.Name("UIApplicationDidEnterBackgroundNotification"), object: nil)
        async let response = manager.response(to: ORARequest(url: "http://oracle.test/"))
        try await eventually { manager.queue.waitingCount == 1 }
        center.post(name: Notification.Name("UIApplicationWillEnterForegroundNotification"), object: nil)
        #expect(await response.error == nil)
    }
}

/// Says that a time is over only when it is told to, be it given back or not.
private final class LateLifecycle: ORAAppLifecycle {
    let states = ORAManualLifecycle()
    private let times = Mutex((expirations: [@Sendable () -> Void](), given: 0))

    var begun: Int { times.withLock(\.expirations.count) }
    var given: Int { times.withLock(\.given) }

    func expire(_ time: Int) { times.withLock { $0.expirations[time] }() }

    func observe(_ handler: @escaping @Sendable (ORAAppState) -> Void) -> @Sendable () -> Void {
        states.observe(handler)
    }

    func beginBackgroundTime(_ expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        times.withLock { $0.expirations.append(expired) }
        return { self.times.withLock { $0.given += 1 } }
    }
}
