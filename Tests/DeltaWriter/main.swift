// Applies deltas to a store's file until it is killed, or sends a long one through and says how much memory that
// took, or only keeps the file open, or inserts one row and closes it. The tests of LocalStore run it; see
// DeltaCrashTests.

import Foundation
import LocalStore

let arguments = CommandLine.arguments
guard arguments.count == 4, ["changes", "loads", "long", "hold", "insert"].contains(arguments[1]),
    let rowCount = Int(arguments[3])
else {
    print("Usage: delta-writer changes|loads|long|hold|insert <file>.sqlite|<file>.journal <rows of a delta, or key>")
    exit(2)
}
let mode = arguments[1]
let path = arguments[2]

func openStore() throws -> any LocalStore {
    guard path.hasSuffix(".journal") else { return try SQLiteStore(.file(path)) }
    if mode == "long" { return try MemoryStore(journal: .init(path: path, rotationSize: 1 << 17)) }
    // Small frames on a slow disk, so that most of the time is spent where it hurts to be killed.
    var journal = MemoryJournalConfiguration(path: path, rotationSize: 1 << 14)
    journal.frameSize = 2048
    return try MemoryStore(journal: journal, disk: slowDisk())
}

/// Writes a piece at a time, and rests before each step.
func slowDisk() -> JournalDisk {
    var disk = JournalDisk.system
    let (write, synchronize, rename) = (disk.write, disk.synchronize, disk.rename)
    disk.write = { file, bytes, offset in
        usleep(400)
        return write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(500)), offset)
    }
    disk.synchronize = { file in
        usleep(500)
        return synchronize(file)
    }
    disk.rename = { path, other in
        usleep(500)
        return rename(path, other)
    }
    return disk
}

/// - Returns: the keys that are there then, or the code of the error.
func insertRow() throws -> String {
    var configuration = SQLiteStore.Configuration()
    configuration.busyTimeout = .zero
    do {
        let store = try SQLiteStore(.file(path), configuration: configuration)
        try store.execute("INSERT INTO jack (id) VALUES (?)", [.integer(Int64(rowCount))])
        var keys: [Int64] = []
        try store.query("SELECT id FROM jack ORDER BY id") { row in
            keys.append(row.int64(at: 0) ?? 0)
            return true
        }
        try store.close()
        return keys.map(String.init).joined(separator: " ")
    } catch let error as StoreError { return "\(error.code)" }
}

if mode == "insert" {
    print(try insertRow())
    exit(0)
}

let store = try openStore()
let table = try TableSchema(
    "stamp", columns: [.init("id", "INTEGER"), .init("version", "INTEGER"), .init("text", "TEXT")], primaryKey: ["id"])
let target = try DeltaTarget(tables: [table], binding: DeltaBinding(server: "s", resource: "stamps"))

/// Every row of the table carries the version. One row has the version as its key, and the one before it goes away.
func delta(from version: Int, isWhole: Bool) -> Data {
    let next = version + 1
    var text = "[{\"to\":\"\(next)\",\"from\":\(isWhole ? "null" : "\"\(version)\"")},{\"table\":\"stamp\"}"
    for id in 1...rowCount { text += ",{\"upsert\":{\"id\":\(id),\"version\":\(next)}}" }
    if !isWhole { text += ",{\"delete\":[\(-version)]}" }
    text += ",{\"upsert\":{\"id\":\(-next),\"version\":\(next)}}"
    return Data((text + ",{\"end\":{\"upserts\":\(rowCount + 1),\"deletes\":\(isWhole ? 0 : 1)}}]").utf8)
}

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

func bytes(_ field: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
    return (line.flatMap { Int($0.filter(\.isNumber)) } ?? 0) * 1024
}

func sendLong(to store: some LocalStore) throws {
    let applier = DeltaApplier(store)
    let cell = String(repeating: "0123456789 äöü \\n", count: 400)
    var id = 0
    var length = 0
    /// A whole load of 100 MB, of which no more than a piece is there at a time.
    var source = JSONDeltaSource {
        if length > 100_000_000 {
            defer { id = -1 }
            return id < 0 ? nil : Data("{\"end\":{\"upserts\":\(id),\"deletes\":0}}]".utf8)
        }
        var piece = id == 0 ? "[{\"to\":\"1\"},{\"table\":\"stamp\"}," : ""
        for _ in 0..<8 {
            piece += "{\"upsert\":{\"id\":\(id % 1000),\"version\":1,\"text\":\"\(cell)\"}},"
            id += 1
        }
        length += piece.utf8.count
        return Data(piece.utf8)
    }
    // What a first short delta takes is there once.
    var first = JSONDeltaSource(delta(from: 0, isWhole: true))
    _ = try applier.apply(&first, to: target)
    try applier.forget(target)
    let before = bytes("VmRSS:")
    let outcome = try applier.apply(&source, to: target)
    say("\(outcome.counts.upserts) \(length) \(bytes("VmHWM:") - before)")
}

func writeForever(to store: some LocalStore) throws {
    let applier = DeltaApplier(store)
    say("ready")
    while true {
        let version = try applier.version(of: target).flatMap(Int.init)
        var source = JSONDeltaSource(delta(from: version ?? 0, isWhole: version == nil || mode == "loads"))
        _ = try applier.apply(&source, to: target)
    }
}

switch mode {
case "long": try sendLong(to: store)
case "hold":
    say("ready")
    while true { sleep(1) }
default: try writeForever(to: store)
}
