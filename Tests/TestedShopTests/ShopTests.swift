import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

@testable import tested_shop

/// A test suite as an app has it: a recording in place of the server, faults, and time that the test moves.
///
/// An app needs no `.needsSlot`, which limits how many tests of this repository run at a time.
@Suite(.needsSlot) struct ShopTests {
    private static let url = "https://shop.example.com/v1"
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "shop.json")

    /// `PATCHBAY_RECORD=1 swift test --filter ShopTests` makes the recording again. In an app it is made from the
    /// network; here from the example's server.
    private static let isRecording = ProcessInfo.processInfo.environment["PATCHBAY_RECORD"] != nil
    private static let rules = RecordingRules { $0.comparesBody = true }

    /// The shop over the recording, which must be used up by `body`.
    private func withRecordedShop(_ body: (Shop) async throws -> Void) async throws {
        let mode: Recording.Mode = Self.isRecording ? .record : .replay
        let recording = Recording.transport(
            Self.file, mode: mode, rules: Self.rules, over: ServiceTransport(OrderList()))
        try await body(Shop(Self.url, over: .standard(over: recording)))
        if Self.isRecording { try recording.save() }
        try recording.verify()
    }

    private func shop(_ steps: [ScriptedTransport.Step], clock: ManualClock) throws -> (Shop, ScriptedTransport) {
        let transport = ScriptedTransport(steps)
        return (try Shop(Self.url, over: .standard(over: transport, clock: clock)), transport)
    }

    @Test func `an order is in the list, as recorded`() async throws {
        try await withRecordedShop { shop in
            let orders = try await shop.orders()
            let order = try await shop.order("tea")
            let items = try await shop.items()
            #expect(orders == [Order(id: 1, item: "nails")] && order == Order(id: 2, item: "tea"))
            #expect(items == ["nails", "tea"])
        }
    }

    @Test(.enabled(if: !ShopTests.isRecording))
    func `another request than the recorded one is named`() async throws {
        let recording = Recording.transport(Self.file, rules: Self.rules, over: ServiceTransport(OrderList()))
        let shop = try Shop(Self.url, over: .standard(over: recording))
        let error = await #expect(throws: RecordingError.self) { try await shop.order("coffee") }
        #expect(error?.code == .noMatch && error?.differences.first?.sent?.contains("coffee") == true)
    }

    /// A step for each fault, and then a good response.
    private static let faults = RandomFaults.immediateFaults.map(\.key)

    @Test(arguments: faults)
    func `a read survives a fault, by a retry`(fault: Fault) async throws {
        let clock = ManualClock()
        let (shop, transport) = try shop(
            [.service(OrderList(), with: fault, clock: clock), .service(OrderList())], clock: clock)
        let items = try await clock.autoAdvancing { try await shop.items() }
        // A 500 may be a mistake of the request, so the standard retries leave it alone.
        let isRetried = fault != .status(.internalServerError)
        #expect(items == (isRetried ? ["nails"] : nil) && transport.requests.count == (isRetried ? 2 : 1))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `each call ends once, with random faults`(seed: UInt64) async throws {
        let faults = RandomFaults(seed: seed, noFault: 3)
        let clock = ManualClock()
        let (shop, _) = try shop((0..<400).map { .service(OrderList(), with: faults[$0], clock: clock) }, clock: clock)
        let ledger = CompletionLedger<[String]?>()
        try await clock.autoAdvancing {
            for number in 1...40 { await ledger.call("call \(number)").run { try await shop.items() } }
            for outcome in try await ledger.waitForAll() {
                guard case .success(let items) = outcome else {
                    Issue.record("\(outcome), \(faults)")
                    continue
                }
                #expect(items == nil || items == ["nails"], "\(faults)")
            }
        }
        try ledger.check()
    }

    @Test func `a slow network is a screen without items, not an error`() async throws {
        let clock = ManualClock()
        let slow = ServiceTransport(OrderList()).throttled(by: NetworkProfile(latency: .seconds(90)), clock: clock)
        let shop = try Shop(Self.url, over: Stack(over: slow, clock: clock))
        #expect(try await clock.autoAdvancing { try await shop.items() } == nil)
    }

    @Test func `a screen that is closed cancels its call`() async throws {
        let clock = ManualClock()
        let (shop, transport) = try shop([.never], clock: clock)
        let call = Task { try await shop.items() }
        try await transport.requests(count: 1)
        call.cancel()
        let error = await #expect(throws: (any Error).self) { try await call.value }
        #expect(error?.isCancellation == true)
    }

    @Test(arguments: [.tls, .redirectRefused, .responseTooLarge, .malformedResponse] as [TransportError.Code])
    func `what does not pass by itself is an error`(code: TransportError.Code) async throws {
        let shop = try Shop(Self.url, over: Stack(over: FakeTransport { throw TransportError(code, "", request: $0) }))
        let error = await #expect(throws: TransportError.self) { try await shop.items() }
        #expect(error?.code == code)
    }

    @Test(arguments: [.connectionLost, .connectionRefused, .unreachable, .timedOut] as [TransportError.Code])
    func `an outage is a screen without items`(code: TransportError.Code) async throws {
        let shop = try Shop(Self.url, over: Stack(over: FakeTransport { throw TransportError(code, "", request: $0) }))
        #expect(try await shop.items() == nil)
    }
}
