import Dispatch
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import Queueing
import TestSupport
import Testing

@Suite(.needsSlot) struct OrderTests {
    @Test
    func `Oracle 6: Immediate requests overtake waiting Normal ones, not the running one; FIFO within each priority`()
        async throws
    {
        let gate = Gate()
        let fixture = try Fixture(ScriptedTransport([.after(gate, .status(.ok))], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        fixture.add("running", into: ledger)
        try await gate.waitForWaiters(1)
        for name in ["n1", "n2"] { fixture.add(name, into: ledger) }
        for name in ["i1", "i2"] { fixture.add(name, Immediate, into: ledger) }
        fixture.add("n3", into: ledger)
        fixture.add("i3", Immediate, into: ledger)
        try await fixture.waitForQueued(6)
        #expect(fixture.sent == ["running"])
        gate.open()
        try await ledger.waitForAll()
        #expect(fixture.sent == ["running", "i1", "i2", "i3", "n1", "n2", "n3"])
        try ledger.check()
    }

    @Test(arguments: [1, 3])
    func `one request runs at a time by default, more if configured`(limit: Int) async throws {
        let gate = Gate()
        let fixture = try Fixture(ScriptedTransport([], then: .after(gate, .status(.ok))), concurrently: limit)
        let ledger = CompletionLedger<ORAResponse>()
        for number in 0..<5 { fixture.add("\(number)", into: ledger) }
        try await gate.waitForWaiters(limit)
        try await fixture.waitForQueued(5 - limit)
        #expect(fixture.manager.queue.runningCount == limit)
        gate.open()
        try await ledger.waitForAll()
        try ledger.check()
    }

    @Test func `many requests are sent in the order in which they were added`() async throws {
        let fixture = try Fixture(ScriptedTransport([], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        for number in 0..<500 { fixture.add("\(number)", into: ledger) }
        try await ledger.waitForAll()
        #expect(fixture.sent == (0..<500).map(String.init))
    }

    @Test func `requests keep their order if some must be compressed`() async throws {
        let fixture = try Fixture(ScriptedTransport([], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        for number in 0..<20 {
            let request = ORARequest(url: "http://oracle.test/")
            request.requestTag = "\(number)"
            request.requestBody = Data(repeating: 1, count: number % 2 == 0 ? 300_000 : 1)
            request.compression = number % 2 == 0
            fixture.manager.addRequest(request, completionHandler: ledger.call("\(number)").succeed)
        }
        try await ledger.waitForAll()
        #expect(fixture.sent == (0..<20).map(String.init))
        #expect(fixture.transport.requests.map { $0.fields[.contentEncoding] != nil } == (0..<20).map { $0 % 2 == 0 })
    }

    @Test(arguments: [1, 8])
    func `Oracle 12: many threads add requests; each completes once, with its own tag`(limit: Int) async throws {
        let fixture = try Fixture(
            ScriptedTransport { $0.response(text: $0.options.tag ?? "") }, concurrently: limit)
        let ledger = CompletionLedger<ORAResponse>()
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: 400) { number in
                    fixture.add("\(number)", number % 3 == 0 ? Immediate : Normal, into: ledger)
                }
                done.resume()
            }
        }
        let ends = try await ledger.waitForAll()
        try ledger.check()
        #expect(fixture.transport.requests.count == 400)
        for end in ends {
            let response = try #require(end.response)
            #expect(response.data.map { String(decoding: $0, as: UTF8.self) } == response.requestTag)
        }
        #expect(Set(ends.compactMap(\.response?.requestTag)) == Set((0..<400).map(String.init)))
    }
}
