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
let caused = warehouse.requests
print("In the caller's trace:", caused.count { TraceContext($0.fields)?.traceID == trace.traceID }, "requests")
print("Within its deadline:", caused.count { Deadline.timeLeft(in: $0.fields) < .milliseconds(20_000) }, "requests")

warehouse.isStockFailing = true
for _ in 1...5 {
    let partial: Offer = try await caller.get("offers/7")
    if partial.pieces != nil { print("The stock should be unknown.") }
}
let tried = warehouse.requests.dropFirst(caused.count).count { $0.url.path.hasPrefix("/stock") }
print("5 offers without the stock, whose service got", tried, "requests before its circuit opened")

do {
    _ = try await caller.get("offers/slow", fields: ["X-Time-Left-Ms": "100"])
} catch {
    print("Too late for its caller:", error.httpStatus?.code ?? 0)
}

let count = priceServer.requestCount
async let last: Offer = caller.get("offers/slow")
try await priceServer.requests(count: count + 1)
kill(getpid(), SIGTERM)
for await _ in signals { break }
async let drained: Void = server.drain()
warehouse.gate.open()
print("An offer that was in flight at SIGTERM:", try await last.cents, "cents")
try await drained
await server.close()
print("Attempts in the metrics:", metrics.series(of: .requestDuration).reduce(0) { $0 + $1.count } > 0)
await priceServer.stop()
await stockServer.stop()
print("done")
