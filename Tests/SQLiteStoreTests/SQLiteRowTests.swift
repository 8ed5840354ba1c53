import Foundation
import StoreTestSupport
import SystemLibraries
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteRowTests {
    @Test func `utf 16 databases are readable`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("a")
        do {
            var maker = try SQLiteConnection(
                path: path, flags: SQLiteConstant.openReadWrite | SQLiteConstant.openCreate,
                busyTimeout: .seconds(1), statementCacheSize: 8, allowsDoubleQuotedText: false, StoreInterrupts(),
                try SQLiteFunctions.system.get())
            try maker.runInternal("PRAGMA encoding = 'UTF-16le'") { _ in }
            try maker.runInternal("CREATE TABLE t (a)") { _ in }
        }
        let store = try SQLiteStore(.file(path))
        #expect(try store.value("PRAGMA encoding") == "UTF-16le")
        let values: [StoreValue] = [
            "", "jack", "ä€😀", "nul\0inside", .text(String(repeating: "long ", count: 4000)),
            .blob(Data([0xFF, 0x00])),
            .blob(Data()), 7, -0.5, nil,
        ]
        for value in values { try store.execute("INSERT INTO t VALUES (?)", [value]) }
        #expect(try store.rows("SELECT a FROM t ORDER BY rowid").map { $0[0] } == values)
        #expect(try store.value("SELECT count(*) FROM t WHERE a = ?", ["ä€😀"]) == 1)
    }

    @Test func `bytes stay valid while other cells are read`() throws {
        let store = try SQLiteStore(.memory)
        try store.query("SELECT 'left', x'0102', 'right' || 's', 12") { row in
            let text = row.withBytes(at: 0) { left in
                row.withBytes(at: 2) { right in
                    // SQLite would convert a number to text in place; StoreRow converts nothing.
                    #expect(row.text(at: 3) == nil && row.int64(at: 3) == 12)
                    #expect(row.blob(at: 1) == Data([1, 2]) && row.text(at: 1) == nil && row.blob(at: 0) == nil)
                    return String(decoding: left, as: UTF8.self) + String(decoding: right, as: UTF8.self)
                }
            }
            #expect(text == "leftrights")
            #expect(row.values == ["left", .blob(Data([1, 2])), "rights", 12])
            return true
        }
    }

    @Test(arguments: [-1, 0, 1, 64]) func `prepared queries survive eviction`(capacity: Int) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = SQLiteStore.Configuration()
        configuration.statementCacheSize = capacity
        let store = try SQLiteStore(.file(folder.path("a")), configuration: configuration)
        try store.createTable(StoreConformance.jacks)
        try store.execute("INSERT INTO jack (id, label) VALUES (1, 'one'), (2, 'two')")
        try store.read { reader throws in
            try reader.prepare("SELECT label FROM jack WHERE id = ?") { byKey throws in
                var labels: [StoreValue] = []
                for id in [1, 2, 1] as [StoreValue] {
                    for number in 0..<3 { #expect(try reader.rows("SELECT \(number)", []).count == 1) }
                    try byKey.query([id]) { row in
                        labels.append(row.value(at: 0))
                        return true
                    }
                }
                #expect(labels == ["one", "two", "one"])
            }
        }
    }
}
