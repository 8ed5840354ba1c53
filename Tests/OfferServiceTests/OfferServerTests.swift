import Patchbay
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import offer_service

@Suite(.needsSlot) struct OfferServerTests {
    private let warehouse = Warehouse()

    /// Runs a body with the service over in-process services, and its caller.
    private func withService(_ body: (APIClient, OfferServer) async throws -> Void) async throws {
        try await withService(over: ServiceTransport(warehouse), body)
    }

    private func withService(
        prices: String = "http://prices.example", stock: String = "http://stock.example",
        over engine: some StreamingTransport, _ body: (APIClient, OfferServer) async throws -> Void
    ) async throws {
        let server = try OfferServer(prices: prices, stock: stock, over: engine, metrics: MemoryMetrics())
        try await body(APIClient(server.url, over: Stack(over: TestTransport.withoutDeadlines)), server)
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
            #expect(try #require(timeout(of: "/prices")) <= .seconds(18))
            #expect(try #require(timeout(of: "/stock")) <= .seconds(10))
        }
    }

    /// The total timeout that was set for a request to a service.
    private func timeout(of path: String) -> Duration? {
        warehouse.requests.first { $0.url.path.hasPrefix(path) }?.options.timeouts.wholeTotal
    }

    @Test func `the second call for a request gets what the first one has left`() throws {
        let now = ContinuousClock.now
        let fields = try HTTPFields([Deadline.field: "20000"])
        let request = try HTTPRequest(.get, "http://offers.example/offers/7", fields: fields).served(at: now)
        let client = try APIClient("http://prices.example", over: Stack(over: ServiceTransport(warehouse)))
        func timeout(after seconds: Int) throws -> Duration? {
            try client.calls(for: request, within: 0.5, at: now + .seconds(seconds)).options.timeouts.total
        }
        #expect(try timeout(after: 0) == .seconds(10))
        #expect(try timeout(after: 12) == .seconds(4))
        let error = #expect(throws: TransportError.self) { _ = try timeout(after: 20) }
        #expect(error?.code == .timedOut)
    }

    @Test(arguments: ["0", "-5"]) func `a caller that leaves no time is refused`(time: String) async throws {
        try await withService { caller, _ in
            let error = await #expect(throws: (any Error).self) {
                let _: Offer = try await caller.get("offers/7", fields: HTTPFields(["X-Time-Left-Ms": time]))
            }
            #expect(error?.httpStatus == .gatewayTimeout)
        }
        #expect(warehouse.requests.isEmpty)
    }

    @Test func `the calls for a caller without a trace are in one trace`() async throws {
        try await withService { caller, _ in
            let _: Offer = try await caller.get("offers/7")
            let traces = warehouse.requests.map { TraceContext($0.fields)?.traceID }
            #expect(traces.count == 2 && traces[0] != nil && traces[0] == traces[1])
        }
    }

    @Test func `callers with too short deadlines do not close the service for others`() async throws {
        // Over sockets, since in-process services keep no deadlines.
        let services = try LoopbackServer(service: warehouse)
        let address = services.url.absoluteString
        try await withService(prices: address, stock: address, over: TestTransport.make()) { caller, _ in
            for _ in 1...5 {
                let error = await #expect(throws: (any Error).self) {
                    let _: Offer = try await caller.get("offers/late", fields: ["X-Time-Left-Ms": "50"])
                }
                #expect(error?.httpStatus == .gatewayTimeout)
            }
            let offer: Offer = try await caller.get("offers/7")
            #expect(offer.cents == 1250)
        }
        warehouse.lateGate.open()
        await services.stop()
    }

    @Test func `only a total timeout is no failure of the server`() {
        let request = "GET http://prices.example/"
        func isFailure(_ phase: Timeouts.Phase) -> Bool {
            CircuitPolicy.upstream.isFailure(.failure(TransportError(.timedOut, request, phase: phase)))
        }
        #expect(!isFailure(.total))
        #expect(isFailure(.response) && isFailure(.connect) && isFailure(.idle))
    }

    @Test func `the retries of a failing stock take none from the prices`() async throws {
        let stock = Mutex(0)
        let prices = Mutex(0)
        let services = ServiceTransport { request in
            // A 429 is retried, and opens no circuit. The prices have one at the end, when the stock's budget is spent.
            if request.url.path.hasPrefix("/stock") {
                stock.withLock { $0 += 1 }
                return request.response(.tooManyRequests)
            }
            let count = prices.withLock { count in
                count += 1
                return count
            }
            return count == 21 ? request.response(.tooManyRequests) : request.response(json: ["cents": 1250])
        }
        try await withService(over: services) { caller, _ in
            for _ in 1...21 {
                let offer: Offer = try await caller.get("offers/7")
                #expect(offer == Offer(item: "7", cents: 1250, pieces: nil))
            }
        }
        #expect(prices.withLock { $0 } == 22)
        #expect(stock.withLock { $0 } == 31, "10 of 21 calls were retried")
    }

    @Test func `a wrong request is the caller's fault`() async throws {
        let client = try APIClient("http://prices.example", over: Stack(over: ServiceTransport(warehouse)))
        let service = OfferService(prices: client, stock: client)
        for (method, path, status) in [
            (HTTPMethod.get, "admin/7", HTTPStatus.notFound), (.get, "offers", .notFound),
            (.get, "offers/7/8", .notFound), (.delete, "offers/7", .methodNotAllowed),
        ] {
            let response = try await service.send(HTTPRequest(method, "http://offers.example/\(path)"))
            #expect(response.status == status, "\(method) \(path)")
        }
        let request = try HTTPRequest(.get, "http://offers.example/offers/%0A")
        let error = await #expect(throws: HTTPMessageError.self) { try await service.send(request) }
        #expect(HTTPResponse(failing: request, with: try #require(error)).status == .badRequest)
        #expect(warehouse.requests.isEmpty)
    }

    @Test func `an error is a status, and a refused caller comes back no sooner than after a second`() throws {
        let request = try HTTPRequest(.get, "http://offers.example/offers/7")
        func response(_ error: any Error) -> HTTPResponse { HTTPResponse(failing: request, with: error) }
        for (wait, field) in [
            (Duration.milliseconds(1), "1"), (.milliseconds(999), "1"), (.milliseconds(1001), "2"),
            (.seconds(30), "30"),
            (.zero, "1"), (.seconds(Int64.max), "3600"), (nil, "1"),
        ] as [(Duration?, String)] {
            let refused = response(AdmissionError(.circuitOpen, "open", retryAfter: wait))
            #expect(refused.status == .serviceUnavailable && refused.fields["Retry-After"] == field, "\(field)")
        }
        #expect(response(TransportError(.timedOut, "late", phase: .total)).status == .gatewayTimeout)
        #expect(response(AdmissionError(.expired, "late")).status == .gatewayTimeout)
        #expect(response(TransportError(.connectionLost, "lost")).status == .badGateway)
    }

    @Test func `a deadline is what the caller says, or the longest`() throws {
        #expect(Deadline.timeLeft(in: try HTTPFields([Deadline.field: "20"])) == .milliseconds(20))
        #expect(Deadline.timeLeft(in: try HTTPFields([Deadline.field: "0"])) == .zero)
        for text in ["x", "", "999999999999", "\(Int.max)", "99999999999999999999"] {
            #expect(Deadline.timeLeft(in: try HTTPFields([Deadline.field: text])) == Deadline.longest, "\(text)")
        }
        #expect(Deadline.timeLeft(in: HTTPFields()) == Deadline.longest)
        var request = try HTTPRequest(.get, "http://prices.example/7")
        request.options.timeouts.total = .seconds(Int64.max)
        Deadline.handOn(&request)
        #expect(request.fields[Deadline.field] == "30000")
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
            try await eventually("the service drains") { server.isDraining }
            let error = await #expect(throws: (any Error).self) { let _: Offer = try await caller.get("offers/7") }
            #expect(error?.httpStatus == .serviceUnavailable)
            warehouse.gate.open()
            #expect(try await last.cents == 1250)
            try await drained
        }
    }
}
