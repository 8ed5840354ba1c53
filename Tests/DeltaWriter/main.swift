// Child process of the tests of stores; see DeltaCrashTests. Depending on its mode it applies deltas to a file until it
// is killed at a given point, applies one long delta and prints the memory used, keeps the file open, inserts a row,
// migrates the file, or replaces a small file until it is killed.

import Coordination
import DeltaSync
import Foundation
import LocalStore
import SQLiteStore
import Synchronization
import SystemLibraries

let arguments = CommandLine.arguments
guard arguments.count > 3, ["changes", "loads", "long", "hold", "insert", "migrate", "small"].contains(arguments[1]),
    let rowCount = Int(arguments[3])
else {
    print(
        "Usage: delta-writer changes|loads|long|hold|insert|migrate|small <file>.sqlite|<file>.journal <rows of a delta, key, steps or bytes> [<kill point> <count>]"
    )
    exit(2)
}
let mode = arguments[1]
let path = arguments[2]

func printLine(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

/// Point at which the parent kills this process: a kind of step and its number.
///
/// Before that step the process prints `there` and stops. If the name ends with `+`, it continues instead, and is
/// killed in that step or soon after it.
struct KillPoint {
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
    func reach(_ step: String) {
        guard step == name else { return }
        let isReached = Self.reached.withLock {
            $0 += 1
            return $0 == count
        }
        guard isReached else { return }
        printLine("there")
        while !goesOn { sleep(60) }
    }
}
let killPoint = KillPoint(arguments.dropFirst(4))

func openStore() throws -> any LocalStore {
    guard path.hasSuffix(".journal") else {
        var configuration = SQLiteStore.Configuration()
        // Two processes migrate one file: each waits for the other's steps, on a slow machine too.
        if mode == "migrate" { configuration.busyTimeout = .seconds(3600) }
        return try SQLiteStore(.file(path), configuration: configuration)
    }
    if mode == "long" { return try MemoryStore(journal: .init(path: path, rotationSize: 1 << 17)) }
    // Small frames, written in small parts, to have many kill points.
    var journal = MemoryJournalConfiguration(path: path, rotationSize: 1 << 14)
    journal.frameSize = 2048
    return try MemoryStore(journal: journal, disk: watchedDisk())
}

/// A disk that writes small parts, and reports each system call to the kill point.
func watchedDisk() -> JournalDisk {
    var disk = JournalDisk.system
    let (write, synchronize, rename) = (disk.write, disk.synchronize, disk.rename)
    disk.write = { file, bytes, offset in
        killPoint.reach("write")
        return write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(500)), offset)
    }
    disk.synchronize = { file in
        killPoint.reach("synchronize")
        return synchronize(file)
    }
    disk.rename = { path, other in
        killPoint.reach("rename")
        return rename(path, other)
    }
    return disk
}

/// - Returns: the keys then in the table, or the code of the error.
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

if mode == "small" {
    let file = SmallFile(URL(filePath: path))
    printLine("ready")
    for number in 0... { try file.replace(with: Data(repeating: UInt8(number % 251), count: rowCount)) }
}

let store = try openStore()
let table = try TableSchema(
    "stamp", columns: [.init("id", "INTEGER"), .init("version", "INTEGER"), .init("text", "TEXT")], primaryKey: ["id"])
let target = try DeltaTarget(tables: [table], binding: DeltaBinding(server: "s", resource: "stamps"))

/// Every row has the version as a value. One row also has the negated version as its key, and replaces the last one.
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
    /// A full load of 100 MB, generated chunk by chunk.
    var source = JSONDeltaSource {
        if length > 100_000_000 {
            defer { id = -1 }
            return id < 0 ? nil : Data("{\"end\":{\"upserts\":\(id),\"deletes\":0}}]".utf8)
        }
        var chunk = id == 0 ? "[{\"to\":\"1\"},{\"table\":\"stamp\"}," : ""
        for _ in 0..<8 {
            chunk += "{\"upsert\":{\"id\":\(id % 1000),\"version\":1,\"text\":\"\(cell)\"}},"
            id += 1
        }
        length += chunk.utf8.count
        return Data(chunk.utf8)
    }
    // A short delta first, so that one-time allocations are not measured.
    var first = JSONDeltaSource(delta(from: 0, isWhole: true))
    _ = try applier.apply(&first, to: target)
    try applier.invalidate(target)
    let before = bytes("VmRSS:")
    let outcome = try applier.apply(&source, to: target)
    printLine("\(outcome.counts.upserts) \(length) \(bytes("VmHWM:") - before)")
}

/// The delta in chunks of 4 KiB. The step before the last chunk is `end`, before each other one `piece`.
func chunks(of delta: Data) -> JSONDeltaSource {
    var rest = delta[...]
    return JSONDeltaSource {
        guard !rest.isEmpty else { return nil }
        killPoint.reach(rest.count > 4096 ? "piece" : "end")
        defer { rest = rest.dropFirst(4096) }
        return Data(rest.prefix(4096))
    }
}

/// Applies deltas beyond the last kill point.
func writeUntilKilled(to store: some LocalStore) throws {
    let applier = DeltaApplier(store)
    for _ in 0..<500 {
        let version = try applier.version(of: target).flatMap(Int.init)
        var source = chunks(of: delta(from: version ?? 0, isWhole: version == nil || mode == "loads"))
        _ = try applier.apply(&source, to: target)
        killPoint.reach("applied")
    }
}

switch mode {
case "long": try sendLong(to: store)
case "hold":
    printLine("ready")
    while true { sleep(1) }
case "migrate":
    printLine("ready")
    printLine(try migrate(store, stepCount: rowCount, killPoint))
    try store.close()
default: try writeUntilKilled(to: store)
}
