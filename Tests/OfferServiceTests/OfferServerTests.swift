import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

@testable import offer_service

@Suite(.needsSlot) struct OfferServerTests {
    private let warehouse = Warehouse()

    /// Runs a body with the service over in-process services, and its caller.
    private func withService(_ body: (APIClient, OfferServer) async throws -> Void) async throws {
        let server = try OfferServer(
            prices: "http://prices.example", stock: "http://stock.example", over: ServiceTransport(warehouse),
            metrics: MemoryMetrics())
        try await body(APIClient(server.url, over: Stack(over: TestTransport.make())), server)
        try await server.drain()
        await server.close()
    }

    @Test func `the deadline and the trace of a caller are handed on`() async throws {
        try await withService { caller, _ in
            let trace = TraceContext.begin()
            let offer: Offer = try await caller.get(
                "offers/7", fields: ["X-Time-Left-Ms": "20000", "traceparent": trace.traceparent])
            #expect(offer == Offer(item: "7", cents: 1250, pieces: 3))
            let caused = warehouse.requests
            #expect(caused.count == 2 && caused.allSatisfy { TraceContext($0.fields)?.traceID == trace.traceID })
            let times = caused.compactMap { $0.fields["X-Time-Left-Ms"].flatMap(Int.init) }.sorted()
            #expect(times.count == 2 && times.allSatisfy { (1...18_000).contains($0) } && times[0] <= 10_000)
        }
    }

    @Test func `a deadline is what the caller says, or the longest`() throws {
        #expect(Deadline.timeLeft(in: try HTTPFields([Deadline.field: "20"])) == .milliseconds(20))
        for text in ["0", "-5", "x", "", "999999999999", "99999999999999999999"] {
            #expect(Deadline.timeLeft(in: try HTTPFields([Deadline.field: text])) == Deadline.longest, "\(text)")
        }
        #expect(Deadline.timeLeft(in: HTTPFields()) == Deadline.longest)
    }

    @Test func `a stock that fails is left alone, and offers go on without it`() async throws {
        warehouse.isStockFailing = true
        try await withService { caller, _ in
            for _ in 1...6 {
                let offer: Offer = try await caller.get("offers/7")
                #expect(offer == Offer(item: "7", cents: 1250, pieces: nil))
            }
            #expect(warehouse.requests.count { $0.url.path.hasPrefix("/stock") } == 3)
        }
    }

    @Test func `a request that is served ends, and a new one is refused, while the service drains`() async throws {
        try await withService { caller, server in
            async let last: Offer = caller.get("offers/slow")
            try await warehouse.gate.waitForWaiters(1)
            async let drained: Void = server.drain()
            var status: HTTPStatus?
            while status == nil {
                do { let _: Offer = try await caller.get("offers/7") } catch { status = error.httpStatus }
            }
            #expect(status == .serviceUnavailable)
            warehouse.gate.open()
            #expect(try await last.cents == 1250)
            try await drained
        }
    }
}
