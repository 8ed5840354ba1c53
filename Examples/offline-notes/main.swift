// Notes that work in a tunnel, against a server in this process. Notebook.swift is the app.

import Connectivity
import DeltaSync
import Outbox
import Patchbay
import PatchbayTestKit
import SQLiteStore

let service = NoteService()
let network = ManualNetworkMonitor(.reachable)
let store = try SQLiteStore(.memory)
var notebook = try Notebook("http://notes.example", over: ServiceTransport(service), in: store, waitingFor: network)

/// Waits until nothing is left to send but what the user must decide.
func waitUntilSent(_ notebook: Notebook) async throws {
    for await status in notebook.outbox.status where status.waiting == 0 && status.sending == 0 { return }
}

print("First load:", try await notebook.synchronize().counts.upserts, "notes;", try await notebook.help())

print("Into the tunnel.")
service.isReachable = false
network.set(.unreachable)
print("From the cache:", try await notebook.help())
print("A search:", try notebook.notes(matching: "green").map(\.title))
if var tea = try notebook.note("1") {
    tea.text = "Assam, one tin"
    try notebook.save(tea)
    try notebook.pin(tea)
}
if var fence = try notebook.note("2") {
    fence.title = "Garden fence"
    try notebook.save(fence)
}
try notebook.save(Note(id: "3", title: "Tunnel", text: "It is dark"))
for try await titles in notebook.titles() {
    print("On screen:", titles)
    break
}
print("Waiting:", try await notebook.outbox.currentStatus().waiting, "requests")

print("The app is killed, and started again.")
await notebook.outbox.close()
notebook = try Notebook("http://notes.example", over: ServiceTransport(service), in: store, waitingFor: network)

print("Meanwhile another user changes both notes.")
service.change("1") { $0?.title = "Tea for two" }
service.change("2") { $0?.title = "Red fence" }

print("Out of the tunnel.")
service.isReachable = true
// A delta comes before the requests are sent, and keeps the edits.
try await notebook.synchronize()
print("After the delta:", try notebook.notes().map { "\($0.title): \($0.text)" })
network.set(.reachable)
try await waitUntilSent(notebook)
for (entry, edit) in try notebook.conflicts() {
    print("Changed on both sides:", edit.conflictingColumns ?? [], "here", edit.changes)
    try notebook.outbox.resolve(entry.id, with: .client)
}
try await waitUntilSent(notebook)
try await notebook.synchronize()
print("At the server:", ["1", "2", "3"].compactMap { service.note($0) }.map { "\($0.title): \($0.text)" })
print("Here:", try notebook.notes().map { "\($0.title): \($0.text)" })
await notebook.outbox.close()
print("done")
