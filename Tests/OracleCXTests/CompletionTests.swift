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

@Suite("Oracle 9: each request ends once", .needsSlot) struct CompletionTests {
    @Test(
        "with an answer or an error, whatever happens",
        arguments: [
            (ScriptedTransport.Step.status(.ok), true), (.status(.notFound), true),
            (.status(.serviceUnavailable), true),
            (.failure(.connectionRefused), false), (.failure(CocoaError(.featureUnsupported)), false),
        ])
    func ends(step: ScriptedTransport.Step, isAnswered: Bool) async throws {
        let bench = try Bench(ScriptedTransport([], then: step))
        let ledger = CompletionLedger<ORAResponse>()
        bench.add("tag", into: ledger)
        let response = try #require(try await ledger.waitForAll().first?.response)
        #expect((response.response != nil) == isAnswered && (response.data != nil) == isAnswered)
        #expect((response.error == nil) == isAnswered)
        #expect(response.requestTag == "tag")
        try ledger.check()
    }

    @Test(
        "a URL that cannot be sent ends in an error that says why, and nothing is sent",
        arguments: [
            ("www.abc.come/xyz", NSURLErrorUnsupportedURL), (nil, NSURLErrorBadURL), ("", NSURLErrorBadURL),
            ("http://", NSURLErrorBadURL), ("ftp://example.com", NSURLErrorUnsupportedURL),
        ])
    func invalidURL(url: String?, code: Int) async throws {
        let bench = try Bench(ScriptedTransport([]))
        let ledger = CompletionLedger<ORAResponse>()
        bench.add("tag", url: url, into: ledger)
        let response = try #require(try await ledger.waitForAll().first?.response)
        #expect((response.error as NSError?)?.code == code)
        #expect(response.requestTag == "tag" && response.response == nil && response.data == nil)
        #expect(bench.sent == [])
        try ledger.check()
    }

    @Test("cancelled while it runs, while it waits, and when it is over") func cancellation() async throws {
        let gate = Gate()
        let bench = try Bench(ScriptedTransport([.never, .after(gate, .status(.ok))], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        let running = bench.add("running", into: ledger)
        let second = bench.add("second", into: ledger)
        let waiting = bench.add("waiting", into: ledger)
        bench.add("last", into: ledger)
        try await bench.transport.requests(count: 1)
        try await bench.waitForWaiting(3)
        waiting.cancel()
        running.cancel()
        try await gate.waitForArrivals(1)
        gate.open()
        let ends = try await ledger.waitForAll()
        #expect(ends.map { ($0.response?.error as? ORAError)?.code } == [.cancelled, nil, .cancelled, nil])
        #expect((ends[0].response?.error as NSError?)?.code == NSURLErrorCancelled)
        #expect(bench.sent == ["running", "second", "last"])
        second.cancel()
        await second.wait()
        try ledger.check()
    }

    @Test("requests of a tag are cancelled together") func tags() async throws {
        let bench = try Bench(ScriptedTransport([.never], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        for name in ["a", "a", "b"] { bench.add(name, into: ledger) }
        try await bench.transport.requests(count: 1)
        try await bench.waitForWaiting(2)
        bench.manager.queue.cancel(tag: "a")
        let ends = try await ledger.waitForAll()
        #expect(ends.map { ($0.response?.error as? ORAError)?.code } == [.cancelled, .cancelled, nil])
        try ledger.check()
    }

    @Test("also when the manager is gone meanwhile") func gone() async throws {
        let gate = Gate()
        let ledger = CompletionLedger<ORAResponse>()
        do {
            let bench = try Bench(ScriptedTransport([], then: .after(gate, .status(.ok))))
            for number in 0..<3 { bench.add("\(number)", into: ledger) }
        }
        gate.open()
        let ends = try await ledger.waitForAll()
        #expect(ends.allSatisfy { $0.response?.error == nil })
        try ledger.check()
    }

    @Test("Oracle 11: what is changed in a request after it was added changes nothing") func copy() async throws {
        let gate = Gate()
        let bench = try Bench(ScriptedTransport([.after(gate, .status(.ok))], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        bench.add("first", into: ledger)
        let request = ORARequest(url: "http://oracle.test/before")
        request.payload = ["state": "before"]
        request.headers = ["X-State": "before"]
        request.requestTag = "before"
        bench.manager.addRequest(request, completionHandler: ledger.call("second").succeed)
        request.url = "http://oracle.test/after"
        request.payload = ["state": "after"]
        request.requestBody = Data("after".utf8)
        request.headers = nil
        request.requestType = GET
        request.requestTag = "after"
        gate.open()
        let ends = try await ledger.waitForAll()
        let sent = try #require(bench.transport.requests.last)
        #expect(sent.url.path() == "/before" && sent.method == .post && sent.fields["X-State"] == "before")
        try await #expect(sent.body.collect() == Data(#"{"state":"before"}"#.utf8))
        #expect(ends[1].response?.requestTag == "before")
    }

    @Test("handlers are called on the main queue, or where the manager was told") func delivery() async throws {
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")
        let queue = DispatchQueue(label: "handlers")
        queue.setSpecific(key: key, value: "own")
        let bench = try Bench(ScriptedTransport([], then: .status(.ok)))
        let unset = HTTPManager(transport: bench.transport, settings: bench.settings, lifecycle: bench.lifecycle)
        for (manager, place) in [(unset, "main"), (bench.manager, "own")] {
            if place == "own" { manager.delivery = .queue(queue) }
            let heard = await withCheckedContinuation { done in
                manager.addRequest(ORARequest(url: "http://oracle.test/")) { _ in
                    done.resume(returning: DispatchQueue.getSpecific(key: key))
                }
            }
            #expect(heard == place)
        }
    }

    @Test("a handler may add the next request") func nested() async throws {
        let bench = try Bench(ScriptedTransport([], then: .status(.ok)))
        let manager = bench.manager
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
