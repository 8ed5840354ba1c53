import Dispatch
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import Queueing
import TestSupport
import Testing

@Suite("Oracle: the order of requests", .needsSlot) struct OrderTests {
    @Test(
        "Oracle 6: Immediate overtakes Normal ones that wait, not the one that runs; first come first served within each"
    )
    func priorities() async throws {
        let gate = Gate()
        let bench = try Bench(ScriptedTransport([.after(gate, .status(.ok))], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        bench.add("running", into: ledger)
        try await gate.waitForArrivals(1)
        for name in ["n1", "n2"] { bench.add(name, into: ledger) }
        for name in ["i1", "i2"] { bench.add(name, Immediate, into: ledger) }
        bench.add("n3", into: ledger)
        bench.add("i3", Immediate, into: ledger)
        try await bench.waitForWaiting(6)
        #expect(bench.sent == ["running"])
        gate.open()
        try await ledger.waitForAll()
        #expect(bench.sent == ["running", "i1", "i2", "i3", "n1", "n2", "n3"])
        try ledger.check()
    }

    @Test("one runs at a time, unless the manager was told otherwise", arguments: [1, 3])
    func concurrency(limit: Int) async throws {
        let gate = Gate()
        let bench = try Bench(ScriptedTransport([], then: .after(gate, .status(.ok))), concurrently: limit)
        let ledger = CompletionLedger<ORAResponse>()
        for number in 0..<5 { bench.add("\(number)", into: ledger) }
        try await gate.waitForArrivals(limit)
        try await bench.waitForWaiting(5 - limit)
        #expect(bench.manager.queue.runningCount == limit)
        gate.open()
        try await ledger.waitForAll()
        try ledger.check()
    }

    @Test("requests are sent in the order in which they were added, also many of them") func order() async throws {
        let bench = try Bench(ScriptedTransport([], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        for number in 0..<500 { bench.add("\(number)", into: ledger) }
        try await ledger.waitForAll()
        #expect(bench.sent == (0..<500).map(String.init))
    }

    @Test("requests keep their order when some of them have to be compressed first") func compression() async throws {
        let bench = try Bench(ScriptedTransport([], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        for number in 0..<20 {
            let request = ORARequest(url: "http://oracle.test/")
            request.requestTag = "\(number)"
            request.requestBody = Data(repeating: 1, count: number % 2 == 0 ? 300_000 : 1)
            request.compression = number % 2 == 0
            bench.manager.addRequest(request, completionHandler: ledger.call("\(number)").succeed)
        }
        try await ledger.waitForAll()
        #expect(bench.sent == (0..<20).map(String.init))
        #expect(bench.transport.requests.map { $0.fields[.contentEncoding] != nil } == (0..<20).map { $0 % 2 == 0 })
    }

    @Test("Oracle 12: many threads add at once; each request ends once, with its own tag", arguments: [1, 8])
    func threads(limit: Int) async throws {
        let bench = try Bench(
            ScriptedTransport { $0.reply(text: $0.options.tag ?? "") }, concurrently: limit)
        let ledger = CompletionLedger<ORAResponse>()
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: 400) { number in
                    bench.add("\(number)", number % 3 == 0 ? Immediate : Normal, into: ledger)
                }
                done.resume()
            }
        }
        let ends = try await ledger.waitForAll()
        try ledger.check()
        #expect(bench.transport.requests.count == 400)
        for end in ends {
            let response = try #require(end.response)
            #expect(response.data.map { String(decoding: $0, as: UTF8.self) } == response.requestTag)
        }
        #expect(Set(ends.compactMap(\.response?.requestTag)) == Set((0..<400).map(String.init)))
    }
}
