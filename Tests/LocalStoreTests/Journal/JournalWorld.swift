import Foundation
import PatchbayTestKit
import SystemLibraries
import TestSupport

@testable import LocalStore

/// A journal in a folder of its own.
struct JournalWorld {
    let folder: TemporaryFolder
    var path: String { folder.path("a.journal") }

    static func run(_ body: (JournalWorld) throws -> Void) throws {
        try body(JournalWorld(folder: try TemporaryFolder()))
    }

    func open(
        rotationSize: Int = 1 << 30, frameSize: Int = 1 << 20, isSynchronous: Bool = true, disk: JournalDisk = .system
    ) throws -> MemoryStore {
        var configuration = MemoryJournalConfiguration(
            path: path, isSynchronous: isSynchronous, rotationSize: rotationSize)
        configuration.frameSize = frameSize
        return try MemoryStore(journal: configuration, disk: disk)
    }

    /// The descriptors by which this process has a file open.
    static func descriptors(of path: String) -> [CInt] {
        guard let wanted = try? FileStatus(at: path).identity else { return [] }
        // Other tests have many files open meanwhile.
        return (3..<CInt(1 << 15)).filter { FileStatus(of: $0)?.identity == wanted }
    }

    func content() throws -> Data { try Data(contentsOf: URL(filePath: path)) }
    func put(_ content: Data) throws { try content.write(to: URL(filePath: path)) }
}

extension MemoryStore {
    /// All that the store holds.
    func everything() throws -> [String] {
        var state = try rows("SELECT rowid, type, name, tbl_name, sql FROM sqlite_master").map { "\($0)" }
        for name in try tableNames() {
            state += try rows("SELECT rowid, * FROM \(SQLIdentifier(name))").map { "\(name) \($0)" }
        }
        return state
    }

    /// Makes the tables that ``change(_:)`` changes.
    func makeTables() throws {
        try execute("CREATE TABLE a (id INTEGER PRIMARY KEY, label TEXT UNIQUE, x)")
        try execute("CREATE TABLE b (k TEXT PRIMARY KEY, n)")
    }

    /// One transaction of a few random statements, some of which fail by themselves.
    func change(_ generator: inout SeededGenerator) throws {
        var statements: [(String, [StoreValue])] = []
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let id = StoreValue.integer(.random(in: -3...12, using: &generator))
            let other = StoreValue.integer(.random(in: -3...12, using: &generator))
            let text = StoreValue.text(String(repeating: "äb", count: .random(in: 0...20, using: &generator)) + "\(id)")
            switch Int.random(in: 0..<10, using: &generator) {
            case 0, 1, 2: statements.append(("INSERT OR REPLACE INTO a VALUES (?, ?, ?)", [id, text, other]))
            case 3: statements.append(("UPDATE a SET id = ? WHERE id = ?", [id, other]))
            case 4: statements.append(("DELETE FROM a WHERE id = ?", [id]))
            case 5: statements.append(("UPDATE a SET x = ? WHERE id < ?", [text, id]))
            case 6, 7: statements.append(("INSERT OR REPLACE INTO b VALUES (?, ?)", [text, id]))
            case 8: statements.append(("DELETE FROM b WHERE n = ?", [id]))
            default:
                statements.append(("CREATE TABLE IF NOT EXISTS c (v REAL)", []))
                statements.append(("INSERT INTO c VALUES (?)", [other]))
                if Bool.random(using: &generator) { statements.append(("DROP TABLE c", [])) }
            }
        }
        try transaction {
            for (sql, parameters) in statements {
                do {
                    try execute(sql, parameters)
                } catch let error as StoreError where error.code == .constraint {
                    continue
                }
            }
        }
    }
}
