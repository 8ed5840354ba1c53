import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import SDMConnectivity

@Suite(.needsSlot) struct BackgroundTests {
    private let gate = Gate()
    private let system = FakeBackgroundTasks()
    private let session: SDMSession

    init() {
        let system = system
        session = .test(ScriptedTransport([], then: .after(gate, .status(.ok)))) {
            $0.backgroundTasks = { system.tasks }
        }
    }

    private func get() -> SDMHttpRequest { session.get(URL(string: "http://example.com/")) }

    @Test func `a request holds a background task from its start until its delegate was called`() async throws {
        let delegate = TaskLog(system)
        let requests = [get(), get()]
        for request in requests { request.delegate = delegate }
        #expect(system.begun == 0)
        for request in requests { request.startAsynchronous() }
        try await gate.waitForWaiters(2)
        #expect(system.begun == 2 && system.ended == [])
        requests[0].cancel()
        #expect(await requests[0].ended()?.errorCode == 4 && system.ended.count == 1)
        gate.open()
        #expect(await requests[1].ended() == nil)
        #expect(delegate.endedBefore.value == [0, 1] && system.ended.sorted() == [1, 2])
    }

    @Test func `a blocking start holds one too`() async {
        gate.open()
        await onThread { [self] in get().startSynchronous() }
        #expect(system.begun == 1 && system.ended == [1])
    }

    @Test func `a request with the setting off, or cancelled before its start, holds none`() async throws {
        let (request, cancelled) = (get(), get())
        request.shouldContinueInBackground = false
        gate.open()
        #expect(await request.ended() == nil)
        cancelled.cancel()
        #expect(await cancelled.ended()?.errorCode == 4)
        #expect(system.begun == 0 && system.ended == [])
    }

    @Test func `an expired task ends once, and its request continues`() async throws {
        let request = get()
        request.startAsynchronous()
        try await gate.waitForWaiters(1)
        system.expire(1)
        #expect(system.ended == [1])
        gate.open()
        #expect(await request.ended() == nil)
        #expect(system.begun == 1 && system.ended == [1])
    }

    @Test func `a request runs without a task that the system refuses`() async {
        system.refuse()
        gate.open()
        #expect(await get().ended() == nil)
        #expect(system.begun == 0 && system.ended == [])
    }

    @Test func `without an application there is no task`() async {
        #expect(SDMSession.Configuration().backgroundTasks() == nil)
    }
}

/// A delegate that logs how many tasks have ended when it is called at the end.
private final class TaskLog: SDMHttpRequestDelegate {
    let endedBefore = Watched<[Int]>([])
    private let system: FakeBackgroundTasks

    init(_ system: FakeBackgroundTasks) { self.system = system }

    func requestFinished(_ request: SDMHttpRequest) { endedBefore.update { $0.append(system.ended.count) } }
    func requestFailed(_ request: SDMHttpRequest) { endedBefore.update { $0.append(system.ended.count) } }
}
