import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@Suite struct RandomFaultsTests {
    @Test func `faults depend only on the seed and the number`() {
        let faults = RandomFaults(seed: 7)
        #expect((0..<200).map { faults[$0] } == (0..<200).map { RandomFaults(seed: 7)[$0] })
        #expect((0..<200).map { faults[$0] } != (0..<200).map { RandomFaults(seed: 8)[$0] })
        // The generator is stable, so this sequence is too.
        #expect(
            (0..<6).map { RandomFaults(seed: 1, noFault: 1, [.reset(.inBody): 1])[$0] == nil }
                == [false, false, false, false, true, true])
    }

    @Test func `faults occur in proportion to their weights`() {
        let faults = RandomFaults(seed: 3, noFault: 6, [.reset(.inBody): 3, .status(.ok): 0, .stall(.beforeHead): 1])
        let drawn = (0..<10_000).map { faults[$0] }
        let counts = [nil, Fault.reset(.inBody), .stall(.beforeHead), .status(.ok)].map { fault in
            drawn.count { $0 == fault }
        }
        #expect(abs(counts[0] - 6000) < 200 && abs(counts[1] - 3000) < 200 && abs(counts[2] - 1000) < 200)
        #expect(counts[3] == 0)
    }

    @Test
    func `a reset in the head loses a response without a body after its service was called, no immediate fault does`()
        async throws
    {
        let called = Watched(false)
        let service = ClosureService { request in
            called.update { $0 = true }
            return request.response(.noContent)
        }
        var lost: [Fault] = []
        for fault in RandomFaults.immediateFaults.map(\.key) + [.reset(.inHead)] {
            called.update { $0 = false }
            let transport = ScriptedTransport([.service(service, with: fault)])
            let response = try? await transport.send(HTTPRequest(.post, "http://a/"))
            if response == nil, called.value { lost.append(fault) }
        }
        #expect(lost == [.reset(.inHead)])
    }

    @Test func `there are no faults without weights`() {
        #expect((0..<100).allSatisfy { RandomFaults(seed: 1, noFault: -5, [.overstatedLength: -1])[$0] == nil })
    }

    @Test func `the description has the seed`() {
        let text = "\(RandomFaults(seed: 42, noFault: 2, [.close(.inBody): 1]))"
        #expect(text == "random faults with seed 42 (no fault: 2, closed in the body: 1)")
    }
}
