// Compares records in SQLiteStore with the same ones in GRDB, by processor time: files of one disk, one SQLite.

import Foundation
import Rounds

let folder = FileManager.default.temporaryDirectory.appending(path: "peer-stores-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let subject = try PatchbayStore(path: folder.appending(path: "patchbay.sqlite").path)
let peer = try GRDBStore(path: folder.appending(path: "grdb.sqlite").path)
let items = (0..<20_000).map(StoredItem.init(number:))

private struct WrongCount: Error {}

func insertion(into store: some MeasuredStore) throws -> Double {
    try store.clear()
    return try Rounds.processorSeconds { try store.insert(items) }
}

func decoding(from store: some MeasuredStore) throws -> Double {
    try Rounds.processorSeconds { if try store.items().count != items.count { throw WrongCount() } }
}

func lookups(in store: some MeasuredStore) throws -> Double {
    try Rounds.processorSeconds {
        for id in stride(from: 0, to: items.count, by: 10) where try store.item(id)?.id != id { throw WrongCount() }
    }
}

try await Rounds.compare(
    "\(items.count) records inserted", against: "GRDB", subject: { try insertion(into: subject) },
    peer: { try insertion(into: peer) })
try await Rounds.compare(
    "\(items.count) rows decoded", against: "GRDB", subject: { try decoding(from: subject) },
    peer: { try decoding(from: peer) })
try await Rounds.compare(
    "a record by its key", against: "GRDB", subject: { try lookups(in: subject) }, peer: { try lookups(in: peer) })
