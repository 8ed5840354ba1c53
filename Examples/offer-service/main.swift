// A service that calls other services: limits, deadlines that are handed on, one trace, and a stop that loses nothing.
// OfferServer.swift has the layers, Deadline.swift what is handed on. Documentation/Servers.md explains them.

import Foundation
import Patchbay
import PatchbayTestKit

let warehouse = Warehouse()
let metrics = MemoryMetrics()
let signals = Termination.signals()
// Two origins: each has its circuit and its slots.
let (priceServer, stockServer) = try (LoopbackServer(service: warehouse), LoopbackServer(service: warehouse))
let server = try OfferServer(
    prices: priceServer.url.absoluteString, stock: stockServer.url.absoluteString, metrics: metrics)
/// The caller, which retries nothing, so that each status below is that of the service.
let caller = try APIClient(server.url, over: Stack()) { $0.fields["X-Time-Left-Ms"] = "20000" }

let trace = TraceContext.begin()
let offer: Offer = try await caller.with { $0.fields["traceparent"] = trace.traceparent }.get("offers/7")
print("An offer:", offer.cents, "cents,", offer.pieces ?? 0, "pieces")
precondition(offer == Offer(item: "7", cents: 1250, pieces: 3))
let caused = warehouse.requests
let traced = caused.count { TraceContext($0.fields)?.traceID == trace.traceID }
let limited = caused.count { Deadline.timeLeft(in: $0.fields) < .milliseconds(20_000) }
print("In the caller's trace:", traced, "requests; within its deadline:", limited, "requests")
precondition(traced == 2 && limited == 2)

warehouse.isStockFailing = true
for _ in 1...5 {
    let partial: Offer = try await caller.get("offers/7")
    precondition(partial.pieces == nil, "The stock should be unknown.")
}
let tried = warehouse.requests.dropFirst(caused.count).count { $0.url.path.hasPrefix("/stock") }
print("5 offers without the stock, whose service got", tried, "requests before its circuit opened")
precondition(tried == 3)

do {
    _ = try await caller.get("offers/late", fields: ["X-Time-Left-Ms": "100"])
    preconditionFailure("The price should be late.")
} catch {
    print("Too late for its caller:", error.httpStatus?.code ?? 0)
    precondition(error.httpStatus == .gatewayTimeout)
}

async let last: Offer = caller.get("offers/slow")
try await warehouse.gate.waitForWaiters(1)
kill(getpid(), SIGTERM)
for await _ in signals { break }
async let drained: Void = server.drain()
warehouse.gate.open()
warehouse.lateGate.open()
print("An offer that was in flight at SIGTERM:", try await last.cents, "cents")
try await drained
await server.close()
print("Attempts in the metrics:", metrics.series(of: .requestDuration).reduce(0) { $0 + $1.count } > 0)
await priceServer.stop()
await stockServer.stop()
print("done")
