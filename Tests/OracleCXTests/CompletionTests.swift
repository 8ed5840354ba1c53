import Delegation
import Dispatch
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import Queueing
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct CompletionTests {
    @Test(arguments: [
        (ScriptedTransport.Step.status(.ok), true), (.status(.notFound), true),
        (.status(.serviceUnavailable), true),
        (.failure(.connectionRefused), false), (.failure(CocoaError(.featureUnsupported)), false),
    ])
    func `a request completes with a response or an error`(step: ScriptedTransport.Step, hasResponse: Bool) async throws
    {
        let fixture = try Fixture(ScriptedTransport([], then: step))
        let ledger = CompletionLedger<ORAResponse>()
        fixture.add("tag", into: ledger)
        let response = try #require(try await ledger.waitForAll().first?.response)
        #expect((response.response != nil) == hasResponse && (response.data != nil) == hasResponse)
        #expect((response.error == nil) == hasResponse)
        #expect(response.requestTag == "tag")
        try ledger.check()
    }

    @Test(arguments: [
        ("www.abc.come/xyz", NSURLErrorUnsupportedURL), (nil, NSURLErrorBadURL), ("", NSURLErrorBadURL),
        ("http://", NSURLErrorBadURL), ("ftp://example.com", NSURLErrorUnsupportedURL),
    ])
    func `an invalid URL completes with an error, and nothing is sent`(url: String?, code: Int) async throws {
        let fixture = try Fixture(ScriptedTransport([]))
        let ledger = CompletionLedger<ORAResponse>()
        fixture.add("tag", url: url, into: ledger)
        let response = try #require(try await ledger.waitForAll().first?.response)
        #expect((response.error as NSError?)?.code == code)
        #expect(response.requestTag == "tag" && response.response == nil && response.data == nil)
        #expect(fixture.sent == [])
        try ledger.check()
    }

    @Test func `cancellation while running, while waiting and after completion`() async throws {
        let gate = Gate()
        let fixture = try Fixture(ScriptedTransport([.never, .after(gate, .status(.ok))], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        let running = fixture.add("running", into: ledger)
        let second = fixture.add("second", into: ledger)
        let waiting = fixture.add("waiting", into: ledger)
        fixture.add("last", into: ledger)
        try await fixture.transport.requests(count: 1)
        try await fixture.waitForQueued(3)
        waiting.cancel()
        running.cancel()
        try await gate.waitForWaiters(1)
        gate.open()
        let ends = try await ledger.waitForAll()
        #expect(ends.map { ($0.response?.error as? ORAError)?.code } == [.cancelled, nil, .cancelled, nil])
        #expect((ends[0].response?.error as NSError?)?.code == NSURLErrorCancelled)
        #expect(fixture.sent == ["running", "second", "last"])
        second.cancel()
        await second.wait()
        try ledger.check()
    }

    @Test func `requests are cancelled by tag`() async throws {
        let fixture = try Fixture(ScriptedTransport([.never], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        for name in ["a", "a", "b"] { fixture.add(name, into: ledger) }
        try await fixture.transport.requests(count: 1)
        try await fixture.waitForQueued(2)
        fixture.manager.queue.cancel(tag: "a")
        let ends = try await ledger.waitForAll()
        #expect(ends.map { ($0.response?.error as? ORAError)?.code } == [.cancelled, .cancelled, nil])
        try ledger.check()
    }

    @Test func `requests complete after the manager was released`() async throws {
        let gate = Gate()
        let ledger = CompletionLedger<ORAResponse>()
        do {
            let fixture = try Fixture(ScriptedTransport([], then: .after(gate, .status(.ok))))
            for number in 0..<3 { fixture.add("\(number)", into: ledger) }
        }
        gate.open()
        let ends = try await ledger.waitForAll()
        #expect(ends.allSatisfy { $0.response?.error == nil })
        try ledger.check()
    }

    @Test func `Oracle 11: changes to a request after it was added have no effect`() async throws {
        let gate = Gate()
        let fixture = try Fixture(ScriptedTransport([.after(gate, .status(.ok))], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        fixture.add("first", into: ledger)
        let request = ORARequest(url: "http://oracle.test/before")
        request.payload = ["state": "before"]
        request.headers = ["X-State": "before"]
        request.requestTag = "before"
        fixture.manager.addRequest(request, completionHandler: ledger.call("second").succeed)
        request.url = "http://oracle.test/after"
        request.payload = ["state": "after"]
        request.requestBody = Data("after".utf8)
        request.headers = nil
        request.requestType = GET
        request.requestTag = "after"
        gate.open()
        let ends = try await ledger.waitForAll()
        let sent = try #require(fixture.transport.requests.last)
        #expect(sent.url.path() == "/before" && sent.method == .post && sent.fields["X-State"] == "before")
        try await #expect(sent.body.collect() == Data(#"{"state":"before"}"#.utf8))
        #expect(ends[1].response?.requestTag == "before")
    }

    @Test func `handlers are called on the main queue, or on the manager's delivery`() async throws {
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")
        let queue = DispatchQueue(label: "handlers")
        queue.setSpecific(key: key, value: "own")
        let fixture = try Fixture(ScriptedTransport([], then: .status(.ok)))
        let unset = HTTPManager(transport: fixture.transport, settings: fixture.settings, lifecycle: fixture.lifecycle)
        for (manager, queueName) in [(unset, "main"), (fixture.manager, "own")] {
            if queueName == "own" { manager.delivery = .queue(queue) }
            let received = await withCheckedContinuation { done in
                manager.addRequest(ORARequest(url: "http://oracle.test/")) { _ in
                    done.resume(returning: DispatchQueue.getSpecific(key: key))
                }
            }
            #expect(received == queueName)
        }
    }

    @Test func `a handler can add another request`() async throws {
        let fixture = try Fixture(ScriptedTransport([], then: .status(.ok)))
        let manager = fixture.manager
        let tag = await withCheckedContinuation { done in
            let first = ORARequest(url: "http://oracle.test/")
            manager.addRequest(first) { _ in
                let second = ORARequest(url: "http://oracle.test/")
                second.requestTag = "second"
                manager.addRequest(second) { done.resume(returning: $0.requestTAG) }
            }
        }
        #expect(tag == "second")
    }
}
