import Delegation
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import Queueing
import TestSupport
import Testing

@Suite(.needsSlot) struct BackgroundTests {
    private let gate = Gate()
    private let fixture: Fixture
    private let ledger = CompletionLedger<ORAResponse>()

    init() throws { fixture = try Fixture(ScriptedTransport([.after(gate, .status(.ok))], then: .status(.ok))) }

    private func setBackgroundTask(_ value: String) {
        #expect(
            ORACoreDataContainer(store: fixture.settings).putValue(value, forKey: ORAConfigHTTPBackgroundTaskEnabled()))
    }

    /// Adds three requests; the first waits in the transport.
    private func addThree() async throws -> ExactlyOnce<ORAResponse> {
        let request = ORARequest(url: "http://oracle.test/")
        request.requestTag = "first"
        let first = ExactlyOnce<ORAResponse>("first")
        fixture.manager.addRequest(request, completionHandler: first.succeed)
        for name in ["second", "third"] { fixture.add(name, into: ledger) }
        try await gate.waitForWaiters(1)
        try await fixture.waitForQueued(2)
        return first
    }

    @Test func `running requests finish; the others wait until the app returns`() async throws {
        let first = try await addThree()
        fixture.lifecycle.enterBackground()
        #expect(fixture.lifecycle.backgroundTaskCount == 1)
        gate.open()
        _ = try await first.outcome
        fixture.add("immediate", Immediate, into: ledger)
        try await fixture.waitForQueued(3)
        #expect(fixture.sent == ["first"])
        #expect(fixture.manager.queue.runningCount == 0 && fixture.lifecycle.backgroundTaskCount == 0)
        fixture.lifecycle.enterForeground()
        try await ledger.waitForAll()
        #expect(fixture.sent == ["first", "immediate", "second", "third"])
        try ledger.check()
    }

    @Test func `after the background task of a running request expires, there is none until the app returns`()
        async throws
    {
        let first = try await addThree()
        fixture.lifecycle.enterBackground()
        fixture.lifecycle.expireBackgroundTasks()
        #expect(fixture.endedBackgroundTasks.value == 1 && fixture.lifecycle.backgroundTaskCount == 0)
        fixture.lifecycle.enterForeground()
        #expect(fixture.lifecycle.backgroundTaskCount == 0)
        fixture.lifecycle.enterBackground()
        #expect(fixture.lifecycle.backgroundTaskCount == 1)
        gate.open()
        _ = try await first.outcome
        #expect(fixture.endedBackgroundTasks.value == 2 && fixture.lifecycle.backgroundTaskCount == 0)
        fixture.lifecycle.enterForeground()
        try await ledger.waitForAll()
    }

    @Test func `a request that waits in the background can be cancelled`() async throws {
        fixture.lifecycle.enterBackground()
        let call = fixture.add("first", into: ledger)
        try await fixture.waitForQueued(1)
        call.cancel()
        let ends = try await ledger.waitForAll()
        #expect((ends[0].response?.error as? ORAError)?.code == .cancelled)
    }

    @Test func `with the setting on the queue continues, with a background task until all are done`()
        async throws
    {
        setBackgroundTask("true")
        _ = try await addThree()
        fixture.lifecycle.enterBackground()
        #expect(fixture.lifecycle.backgroundTaskCount == 1)
        gate.open()
        try await ledger.waitForAll()
        #expect(fixture.sent == ["first", "second", "third"])
        try await fixture.endedBackgroundTasks.wait { $0 == 1 }
        #expect(fixture.lifecycle.backgroundTaskCount == 0)
    }

    @Test func `the background task ends after the last completion handler`() async throws {
        setBackgroundTask("true")
        let (queue, handlers) = (DispatchQueue(label: "of the app"), DispatchSemaphore(value: 0))
        queue.async { handlers.wait() }
        defer { handlers.signal() }
        fixture.manager.delivery = .queue(queue)
        let end = ExactlyOnce<ORAResponse>()
        fixture.manager.addRequest(ORARequest(url: "http://oracle.test/"), completionHandler: end.succeed)
        try await gate.waitForWaiters(1)
        fixture.lifecycle.enterBackground()
        fixture.manager.delivery = .inline
        gate.open()
        // The next one is sent once the first has its response.
        _ = await fixture.manager.response(to: ORARequest(url: "http://oracle.test/"))
        #expect(fixture.lifecycle.backgroundTaskCount == 1 && fixture.endedBackgroundTasks.value == 0)
        handlers.signal()
        _ = try await end.outcome
        try await fixture.endedBackgroundTasks.wait { $0 == 1 }
    }

    @Test func `a background task that is refused at once pauses the queue until the app returns`() async throws {
        setBackgroundTask("true")
        let lifecycle = RefusingLifecycle()
        let manager = HTTPManager(
            transport: fixture.transport, settings: fixture.settings, lifecycle: lifecycle)
        manager.delivery = .inline
        let ends = (0..<2).map { ExactlyOnce<ORAResponse>("\($0)") }
        for end in ends { manager.addRequest(ORARequest(url: "http://oracle.test/"), completionHandler: end.succeed) }
        try await gate.waitForWaiters(1)
        lifecycle.states.enterBackground()
        #expect(manager.queue.snapshot.isPaused)
        gate.open()
        _ = try await ends[0].outcome
        await manager.waitForSubmissions()
        #expect(fixture.transport.requests.count == 1 && manager.queue.waitingCount == 1)
        lifecycle.states.enterForeground()
        _ = try await ends[1].outcome
    }

    @Test func `a total timeout includes the wait for the app's return`() async throws {
        let manager = HTTPManager(
            transport: fixture.transport, timeouts: Timeouts(total: .seconds(90)), settings: fixture.settings,
            lifecycle: fixture.lifecycle, clock: fixture.clock)
        manager.delivery = .inline
        fixture.lifecycle.enterBackground()
        let end = ExactlyOnce<ORAResponse>()
        manager.addRequest(ORARequest(url: "http://oracle.test/"), completionHandler: end.succeed)
        await manager.waitForSubmissions()
        #expect(manager.queue.waitingCount == 1)
        await fixture.clock.advance(by: .seconds(90))
        let response = try #require(try await end.outcome.response)
        #expect((response.error as? ORAError)?.errorCode == NSURLErrorTimedOut && fixture.sent.isEmpty)
    }

    @Test func `after the background task expires, waiting requests stay in the queue`() async throws {
        setBackgroundTask("true")
        let first = try await addThree()
        fixture.lifecycle.enterBackground()
        fixture.lifecycle.expireBackgroundTasks()
        #expect(fixture.lifecycle.backgroundTaskCount == 0)
        gate.open()
        _ = try await first.outcome
        #expect(fixture.sent == ["first"] && fixture.manager.queue.waitingCount == 2)
        fixture.lifecycle.enterForeground()
        try await ledger.waitForAll()
        #expect(fixture.sent == ["first", "second", "third"])
    }

    @Test func `the late expiry of an earlier background task has no effect`() async throws {
        setBackgroundTask("true")
        let lifecycle = DelayedExpirationLifecycle()
        let manager = HTTPManager(
            transport: ScriptedTransport([.status(.ok)], then: .after(gate, .status(.ok))), settings: fixture.settings,
            lifecycle: lifecycle)
        manager.delivery = .inline
        lifecycle.states.enterBackground()
        _ = await manager.response(to: ORARequest(url: "http://oracle.test/"))
        try await lifecycle.endedTasks.wait { $0 >= 1 }
        let ends = (0..<2).map { ExactlyOnce<ORAResponse>("\($0)") }
        for end in ends { manager.addRequest(ORARequest(url: "http://oracle.test/"), completionHandler: end.succeed) }
        let expirations = try await lifecycle.expirations.wait { $0.count == 2 }
        expirations[0]()
        #expect(lifecycle.expirations.value.count == 2 && lifecycle.endedTasks.value == 1)
        gate.open()
        for end in ends { _ = try await end.outcome }
    }

    @Test func `a pause by the app is independent of the background`() async throws {
        gate.open()
        fixture.manager.queue.pause()
        fixture.add("one", into: ledger)
        try await fixture.waitForQueued(1)
        fixture.lifecycle.enterBackground()
        fixture.lifecycle.enterForeground()
        #expect(fixture.manager.queue.snapshot.pauseReasons == [.manual] && fixture.manager.queue.waitingCount == 1)
        fixture.lifecycle.enterBackground()
        fixture.manager.queue.resume()
        #expect(fixture.manager.queue.snapshot.isPaused && fixture.sent == [])
        fixture.lifecycle.enterForeground()
        try await ledger.waitForAll()
        #expect(fixture.sent == ["one"])
    }

    @Test func `a retry waits until the app returns`() async throws {
        let fixture = try Fixture(
            ScriptedTransport([.after(gate, .status(.serviceUnavailable))], then: .status(.ok)),
            backoff: .exponential(base: .seconds(1), cap: .seconds(1)))
        fixture.add("one", into: ledger)
        try await gate.waitForWaiters(1)
        fixture.lifecycle.enterBackground()
        gate.open()
        try await fixture.waitForRetry()
        #expect(fixture.sent == ["one"] && fixture.manager.queue.runningCount == 0)
        #expect(fixture.endedBackgroundTasks.value == 1 && fixture.lifecycle.backgroundTaskCount == 0)
        fixture.lifecycle.enterForeground()
        let ends = try await ledger.waitForAll()
        #expect(fixture.sent == ["one", "one"] && ends[0].response?.httpResponse?.status == .ok)
    }

    @Test func `the setting is read at each transition to the background`() async throws {
        for (value, waiting) in [("true", 0), ("false", 1), ("true", 0)] {
            let fixture = try Fixture(ScriptedTransport([], then: .status(.ok)))
            let core = ORACoreDataContainer(store: fixture.settings)
            core.putValue(value, forKey: ORAConfigHTTPBackgroundTaskEnabled())
            fixture.lifecycle.enterBackground()
            core.putValue(value == "true" ? "false" : "true", forKey: ORAConfigHTTPBackgroundTaskEnabled())
            let ledger = CompletionLedger<ORAResponse>()
            fixture.add("one", into: ledger)
            if waiting == 1 {
                try await fixture.waitForQueued(1)
                fixture.lifecycle.enterForeground()
            }
            try await ledger.waitForAll()
            #expect(fixture.sent == ["one"])
            // The other value takes effect at the next transition.
            if value == "true" {
                fixture.lifecycle.enterForeground()
                fixture.lifecycle.enterBackground()
                fixture.add("two", into: ledger)
                try await fixture.waitForQueued(1)
                #expect(fixture.sent == ["one"])
                fixture.lifecycle.enterForeground()
                try await ledger.waitForAll()
            }
        }
    }

    @Test func `the setting persists across launches`() async throws {
        setBackgroundTask("true")
        let lifecycle = ORAManualLifecycle()
        let nextLaunch = HTTPManager(
            transport: ScriptedTransport([], then: .status(.ok)),
            settings: ORASettingsStore(file: fixture.settings.file),
            lifecycle: lifecycle)
        nextLaunch.delivery = .inline
        lifecycle.enterBackground()
        let response = await nextLaunch.response(to: ORARequest(url: "http://oracle.test/"))
        #expect(response.error == nil)
    }

    @Test func `ORANotifiedLifecycle pauses and resumes the queue`() async throws {
        let center = NotificationCenter()
        let manager = HTTPManager(
            transport: fixture.transport, settings: fixture.settings, lifecycle: ORANotifiedLifecycle(center: center))
        manager.delivery = .inline
        gate.open()
        center.post(name: Notification.Name("UIApplicationDidEnterBackgroundNotification"), object: nil)
        let end = ExactlyOnce<ORAResponse>()
        manager.addRequest(ORARequest(url: "http://oracle.test/"), completionHandler: end.succeed)
        await manager.waitForSubmissions()
        #expect(manager.queue.waitingCount == 1)
        center.post(name: Notification.Name("UIApplicationWillEnterForegroundNotification"), object: nil)
        let response = try #require(try await end.outcome.response)
        #expect(response.error == nil)
    }
}

/// Refuses each background task, as the system may do, before the call returns.
private struct RefusingLifecycle: ORAAppLifecycle {
    let states = ORAManualLifecycle()

    func observe(_ handler: @escaping @Sendable (ORAAppState) -> Void) -> @Sendable () -> Void {
        states.observe(handler)
    }

    func beginBackgroundTask(expirationHandler: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        expirationHandler()
        return {}
    }
}

/// Expires background tasks on demand, also ended ones.
private final class DelayedExpirationLifecycle: ORAAppLifecycle {
    let states = ORAManualLifecycle()
    /// The expiration handlers of all tasks.
    let expirations = Watched<[@Sendable () -> Void]>([])
    /// The number of ended tasks.
    let endedTasks = Watched(0)

    func observe(_ handler: @escaping @Sendable (ORAAppState) -> Void) -> @Sendable () -> Void {
        states.observe(handler)
    }

    func beginBackgroundTask(expirationHandler: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        expirations.update { $0.append(expirationHandler) }
        return { self.endedTasks.update { $0 += 1 } }
    }
}
