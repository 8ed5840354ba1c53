import Testing

@testable import SystemLibraries

@Suite struct SQLiteFunctionsTests {
    // From `sqlite3.h`.
    private let ok: CInt = 0
    private let row: CInt = 100
    private let done: CInt = 101
    private let integer: CInt = 1
    private let readWrite: CInt = 0x2

    @Test(.enabled(if: (try? SQLiteFunctions.system.get()) != nil, "SQLite is not installed."))
    func `opens and queries a database`() throws {
        let functions = try SQLiteFunctions.system.get()
        #expect(functions.versionNumber() >= 3_024_000)
        var database: OpaquePointer?
        #expect(
            functions.open(":memory:", &database, readWrite, nil)
                == ok)
        defer { _ = functions.close(database) }
        var statement: OpaquePointer?
        #expect(functions.prepare(database, "SELECT ?1, 'x'", -1, 0, &statement, nil) == ok)
        #expect(functions.bindInteger(statement, 1, 42) == ok)
        #expect(functions.step(statement) == row)
        let (number, text) = (functions.columnValue(statement, 0), functions.columnValue(statement, 1))
        #expect(functions.valueType(number) == integer)
        #expect(functions.valueInteger(number) == 42)
        #expect(functions.valueText(text).map { String(cString: $0) } == "x")
        #expect(functions.step(statement) == done)
        #expect(functions.finalize(statement) == ok)
    }

    @Test func `a missing library is an error`() {
        let error = #expect(throws: SystemLibraryError.self) { try SQLiteFunctions.load(from: "libsqlite3-none.so.0") }
        #expect(error?.code == .missingLibrary)
    }

    #if canImport(Glibc)
        @Test func `another library is an error`() {
            let error = #expect(throws: SystemLibraryError.self) { try SQLiteFunctions.load(from: "libc.so.6") }
            #expect(error?.code == .missingFunction)
        }
    #endif
}
