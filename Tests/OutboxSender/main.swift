// Child process of the tests of outboxes: adds orders to a file and sends them until it is killed or all are sent, or
// prints the states of the network.

import Connectivity
import Foundation
import HTTPMessages
import Outbox
import Queueing
import SQLiteStore
import StoreCore
import Transport

let arguments = CommandLine.arguments

func printLine(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

/// Prints each state of the network.
func watchNetwork() async {
    let network = SystemNetworkMonitor()
    for await state in network.changes { printLine("\(state.reachability)") }
}

/// Adds orders up to a number, in transactions that also insert a row each.
func add(_ orders: Int64, to url: String, _ outbox: Outbox) throws {
    let store = outbox.store
    let first = (try store.value(of: Int64.self, "SELECT max(id) FROM \"order\"") ?? 0) + 1
    for id in first..<max(first, orders + 1) {
        let request = try HTTPRequest(.post, url + "/orders", body: .text("order \(id)"))
        try store.transaction {
            // Orders of one customer are in order; there are seven.
            let ticket = try outbox.add(request, key: id % 7, as: "save order")
            try store.execute("INSERT INTO \"order\" VALUES (\(id), \(ticket.id.idempotencyKey))")
        }
    }
}

/// Adds orders and sends all of them.
func send(file: String, url: String, orders: Int64) async throws {
    let store = try SQLiteStore(.file(file))
    try store.execute("CREATE TABLE IF NOT EXISTS \"order\" (id INTEGER PRIMARY KEY, key TEXT NOT NULL)")
    let options = OutboxOptions {
        $0.leaseDuration = .milliseconds(200)
        $0.backoff = .constant(.milliseconds(5))
        // The request of a killed process may be in progress for longer than the four attempts of the standard rules.
        $0.verdict = { attempt in
            if case .success(let response) = attempt.result, response.status == .conflict { return .again() }
            return .standard(for: attempt)
        }
    }
    let outbox = try Outbox(in: store, over: URLSessionTransport.shared, options: options)
    printLine("ready")
    try add(orders, to: url, outbox)
    for await status in outbox.status where status.waiting + status.sending + status.failed == 0 { break }
    printLine("sent")
    await outbox.close()
}

switch arguments.dropFirst().first {
case "network": await watchNetwork()
case "send" where arguments.count == 5:
    try await send(file: arguments[2], url: arguments[3], orders: Int64(arguments[4]) ?? 0)
default:
    print("Usage: outbox-sender network | send <file>.sqlite <URL> <orders>")
    exit(2)
}
