import Testing

@testable import SystemLibraries

@Suite struct SQLiteFunctionsTests {
    @Test(.enabled(if: (try? SQLiteFunctions.system.get()) != nil, "SQLite is not installed."))
    func aDatabaseIsOpenedAndAsked() throws {
        let functions = try SQLiteFunctions.system.get()
        #expect(functions.versionNumber() >= 3_024_000)
        var database: OpaquePointer?
        #expect(
            functions.open(":memory:", &database, SQLiteConstant.openReadWrite | SQLiteConstant.openNoMutex, nil)
                == SQLiteConstant.ok)
        defer { _ = functions.close(database) }
        var statement: OpaquePointer?
        #expect(functions.prepare(database, "SELECT ?1, 'x'", -1, 0, &statement, nil) == SQLiteConstant.ok)
        #expect(functions.bindInteger(statement, 1, 42) == SQLiteConstant.ok)
        #expect(functions.step(statement) == SQLiteConstant.row)
        #expect(functions.columnType(statement, 0) == SQLiteConstant.integer)
        #expect(functions.columnInteger(statement, 0) == 42)
        #expect(functions.columnText(statement, 1).map { String(cString: $0) } == "x")
        #expect(functions.step(statement) == SQLiteConstant.done)
        #expect(functions.finalize(statement) == SQLiteConstant.ok)
    }

    @Test func aMissingLibraryIsAnError() {
        let error = #expect(throws: SystemLibraryError.self) { try SQLiteFunctions.load(from: "libsqlite3-none.so.0") }
        #expect(error?.code == .missingLibrary)
    }

    #if canImport(Glibc)
        @Test func anotherLibraryIsNotTakenForSQLite() {
            let error = #expect(throws: SystemLibraryError.self) { try SQLiteFunctions.load(from: "libc.so.6") }
            #expect(error?.code == .missingFunction)
        }
    #endif
}
