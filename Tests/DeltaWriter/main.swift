// Applies deltas to a store's file until it is killed at a place that it is told, or sends a long one through and says
// how much memory that took, or only keeps the file open. The tests of LocalStore run it; see DeltaCrashTests.

import Foundation
import LocalStore
import Synchronization

let arguments = CommandLine.arguments
guard arguments.count > 3, ["changes", "loads", "long", "hold"].contains(arguments[1]),
    let rowCount = Int(arguments[3])
else {
    print(
        "Usage: delta-writer changes|loads|long|hold <file>.sqlite|<file>.journal <rows of a delta> [<place> <count>]")
    exit(2)
}
let mode = arguments[1]
let path = arguments[2]

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

/// Where this process is to be killed: a kind of step, and how many steps of that kind it does first.
///
/// It says `there` before that step and stops. A place whose name ends with `+` is the same, but the process goes on: it
/// is killed in that step or soon after it.
struct Place {
    let name: String
    let goesOn: Bool
    let count: Int
    private static let reached = Mutex(0)

    init(_ arguments: ArraySlice<String>) {
        let name = arguments.first ?? ""
        goesOn = name.hasSuffix("+")
        self.name = goesOn ? String(name.dropLast()) : name
        count = arguments.dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Called before each step.
    func pass(_ step: String) {
        guard step == name else { return }
        let isThere = Self.reached.withLock {
            $0 += 1
            return $0 == count
        }
        guard isThere else { return }
        say("there")
        while !goesOn { sleep(60) }
    }
}
let place = Place(arguments.dropFirst(4))

func openStore() throws -> any LocalStore {
    guard path.hasSuffix(".journal") else { return try SQLiteStore(.file(path)) }
    if mode == "long" { return try MemoryStore(journal: .init(path: path, rotationSize: 1 << 17)) }
    // Small frames in many pieces, so that there are many places where it hurts to be killed.
    var journal = MemoryJournalConfiguration(path: path, rotationSize: 1 << 14)
    journal.frameSize = 2048
    return try MemoryStore(journal: journal, disk: watchedDisk())
}

/// Writes a small piece at a time, and says before each call that it comes.
func watchedDisk() -> JournalDisk {
    var disk = JournalDisk.system
    let (write, synchronize, rename) = (disk.write, disk.synchronize, disk.rename)
    disk.write = { file, bytes, offset in
        place.pass("write")
        return write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(500)), offset)
    }
    disk.synchronize = { file in
        place.pass("synchronize")
        return synchronize(file)
    }
    disk.rename = { path, other in
        place.pass("rename")
        return rename(path, other)
    }
    return disk
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

/// The delta in pieces of 4 KiB. The step before the last piece is `end`, that before each other one `piece`.
func pieces(of delta: Data) -> JSONDeltaSource {
    var rest = delta[...]
    return JSONDeltaSource {
        guard !rest.isEmpty else { return nil }
        place.pass(rest.count > 4096 ? "piece" : "end")
        defer { rest = rest.dropFirst(4096) }
        return Data(rest.prefix(4096))
    }
}

/// Applies more deltas than any place is away.
func writeUntilKilled(to store: some LocalStore) throws {
    let applier = DeltaApplier(store)
    for _ in 0..<500 {
        let version = try applier.version(of: target).flatMap(Int.init)
        var source = pieces(of: delta(from: version ?? 0, isWhole: version == nil || mode == "loads"))
        _ = try applier.apply(&source, to: target)
        place.pass("applied")
    }
}

switch mode {
case "long": try sendLong(to: store)
case "hold":
    say("ready")
    while true { sleep(1) }
default: try writeUntilKilled(to: store)
}
