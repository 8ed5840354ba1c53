import ExampleSupport
import Patchbay
import PatchbayTestKit

@main struct TestedShop: Example {
    static let name = "tested-shop"
    static let summary = "Tests of a client: a recording in place of the server, faults from a seed, a slow network."
    static let requirements = """
        The server has /orders: GET returns a list of {"id": NUMBER, "item": "..."}, POST of {"item": "tea"} a new one. It is
        used once, for the recording, which adds an order. The same as a test suite: Tests/TestedShopTests.
        """

    static func startServer() throws -> LoopbackServer { try LoopbackServer(service: OrderList()) }

    static func run(at server: String) async throws {
        try await ScratchFolder.with { folder in
            let file = folder.appending(path: "shop.json")
            try await record(server, to: file)
            try await replay(server, from: file)
            try await injectFaults(server, into: file)
        }
        try await slowDown(server)
    }

    private static let rules = RecordingRules {
        $0.comparesBody = true
        $0.exhaustion = .last
    }

    /// Records once, by hand; the file is committed with the tests.
    private static func record(_ server: String, to file: URL) async throws {
        // Below all layers, so that retries and sign-in run in the tests too.
        let recorder = Recording.transport(file, mode: .record, rules: rules, over: URLSessionTransport.shared)
        let shop = try Shop(server, over: .standard(over: recorder))
        let order = try await shop.order("tea")
        let orders = try await shop.orders()
        try recorder.save()
        print(
            "Recorded: \(recorder.recorded.count) exchanges, \(orders.contains(order) ? "with" : "without") the new order"
        )
    }

    /// Each test reads the file; the server is not needed any more.
    private static func replay(_ server: String, from file: URL) async throws {
        let recording = Recording.transport(file, rules: rules, over: FakeTransport { $0.response(.notFound) })
        let shop = try Shop(server, over: .standard(over: recording))
        print(
            "Replayed: \(try await shop.order("tea").item), \(try await shop.orders().count > 0 ? "orders" : "nothing")"
        )
        do {
            _ = try await shop.order("coffee")
            throw Unexpected("The replay has an order that was not recorded.")
        } catch let error as RecordingError {
            print("Not recorded: \(error.differences.map(\.description).joined(separator: "; "))")
        }
        try recording.verify()
        print("Each exchange was requested.")
    }

    /// The app's calls with failures at random; a seed makes each run the same.
    private static func injectFaults(_ server: String, into file: URL) async throws {
        let recording = Recording.transport(file, rules: rules, over: FakeTransport { $0.response(.notFound) })
        let service = ClosureService { request in try await recording.send(request, observer: nil) }
        let faults = RandomFaults(seed: 7)
        let transport = ScriptedTransport((0..<200).map { .service(service, with: faults[$0]) })
        let clock = ManualClock()
        let shop = try Shop(server, over: .standard(over: transport, clock: clock))
        let ledger = CompletionLedger<[String]?>()
        // Nothing sleeps: the clock moves whenever a layer waits for its next attempt.
        await clock.autoAdvancing {
            for number in 1...50 { await ledger.call("call \(number)").run { try await shop.items() } }
        }
        let counts = try await ledger.waitForAll().reduce(into: (shown: 0, unavailable: 0, failed: 0)) {
            counts, outcome in
            switch outcome {
            case .success(let items): if items == nil { counts.unavailable += 1 } else { counts.shown += 1 }
            case .failure, .cancellation: counts.failed += 1
            }
        }
        // A service's error is a 500, also that of the recording: a wrong request looks like an outage.
        guard counts.shown > 0 else { throw Unexpected("No call has shown orders.") }
        print(
            "Faults: 50 calls in \(transport.requests.count) attempts, \(counts.shown) with orders,",
            "\(counts.unavailable) without, \(counts.failed) failed")
        try ledger.check()
        print("Each call has ended once.")
    }

    /// Latency of minutes, in no time.
    private static func slowDown(_ server: String) async throws {
        let clock = ManualClock()
        let profile = NetworkProfile(latency: .seconds(90), jitter: .seconds(5), seed: 7)
        let slow = FakeTransport { $0.response(json: []) }.throttled(by: profile, clock: clock)
        let shop = try Shop(server, over: Stack(over: slow, clock: clock))
        do {
            _ = try await clock.autoAdvancing { try await shop.orders() }
            throw Unexpected("The slow network has not timed out.")
        } catch let error as TransportError {
            print("Slow network: \(error.code), after \(Int(clock.now.offset / .seconds(1))) s of the test's clock")
        }
    }
}
