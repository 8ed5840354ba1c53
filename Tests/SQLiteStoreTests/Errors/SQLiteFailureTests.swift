import Foundation
import SystemLibraries
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteFailureTests {
    /// As for a protected file on a locked device.
    @Test func `denied file access is an IO error`() throws {
        let functions = try SQLiteFunctions.system.get()
        let connection = try SQLiteConnection(
            path: ":memory:", flags: SQLiteConstant.openReadWrite, busyTimeout: .seconds(1), statementCacheSize: 8,
            allowsDoubleQuotedText: false, StoreInterrupts(), functions)
        let code = SQLiteConstant.notAuthorized
        let compiling = SQLiteFailure(code, connection.database, functions, compiledFrom: 0).error
        #expect(compiling.code == .unsupportedSQL && compiling.feature != nil)
        let running = SQLiteFailure(code, connection.database, functions).error
        #expect(running.code == .io && running.feature == nil && running.engineCode == 23)
        let opening = SQLiteFailure.opening("/data/db", code, nil, functions)
        #expect(opening.code == .io && opening.message.contains("access to the database file denied: /data/db;"))
    }

    /// The index of the log has 32 KiB, which SQLite reserves first.
    @Test(.needsSmallDisk) func `a disk without space for the log's index is full`() throws {
        let disk = try SmallDisk(megabytes: 1)
        // 28 KiB are left.
        try Data(count: 1 << 20 - 28 << 10).write(to: disk.folder.url.appending(path: "filler"))
        let store = try SQLiteStore(.file(disk.folder.path("a")))
        let error = #expect(throws: StoreError.self) { try store.execute("CREATE TABLE t (a)") }
        #expect(error?.code == .full && error?.message.contains("disk full: \(disk.folder.path("a"));") == true)
        try FileManager.default.removeItem(atPath: disk.folder.path("filler"))
        try store.execute("CREATE TABLE t (a)")
        try store.close()
    }

    @Test func `a statement that fails after its recompilation has SQLite's message`() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(.file(folder.path("a")))
        try store.execute("CREATE TABLE t (a)")
        let insert = "INSERT INTO t VALUES (?)"
        try store.execute(insert, [1])
        // By another connection: this one compiles its statements again after its own change of the schema.
        try SQLiteStore(.file(folder.path("a"))).execute("CREATE UNIQUE INDEX byA ON t (a)")
        let errors = [insert, insert + " "].map { sql in
            #expect(throws: StoreError.self) { try store.execute(sql, [1]) }
        }
        #expect(errors[0]?.code == .constraint && errors[0]?.message.contains("t.a") == true, "\(errors)")
        #expect(errors[0]?.message == errors[1]?.message)
    }
}
