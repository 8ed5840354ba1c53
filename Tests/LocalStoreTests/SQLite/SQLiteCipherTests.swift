import Foundation
import TestSupport
import Testing

@testable import LocalStore
@testable import SystemLibraries

/// An SQLite that says that it can encrypt. It does not; but it shows what a store does with a key.
private func cipher(version: @escaping SQLiteFunctions.Number) throws -> SQLiteLibrary {
    let real = try SQLiteFunctions.system.get()
    let prepare: SQLiteFunctions.Prepare = { database, text, count, flags, statement, tail in
        guard let text, let real = try? SQLiteFunctions.system.get() else { return SQLiteConstant.misuse }
        let sql = String(cString: text)
        let instead = sql == "PRAGMA cipher_version" ? "SELECT '4.5.6 community'" : sql
        guard instead != sql else { return real.prepare(database, text, count, flags, statement, tail) }
        return instead.withCString { real.prepare(database, $0, -1, flags, statement, nil) }
    }
    return SQLiteLibrary(
        .success(
            SQLiteFunctions(
                versionNumber: version, open: real.open, close: real.close,
                setExtendedResultCodes: real.setExtendedResultCodes, setBusyTimeout: real.setBusyTimeout,
                setAuthorizer: real.setAuthorizer, errorMessage: real.errorMessage, errorOffset: nil,
                codeMessage: real.codeMessage,
                changes: real.changes, totalChanges: real.totalChanges, isAutocommit: real.isAutocommit,
                prepare: prepare, finalize: real.finalize, step: real.step, reset: real.reset,
                clearBindings: real.clearBindings, isReadOnly: real.isReadOnly, isBusy: real.isBusy,
                status: real.status,
                parameterCount: real.parameterCount, bindNull: real.bindNull, bindInteger: real.bindInteger,
                bindReal: real.bindReal, bindText: real.bindText, bindBlob: real.bindBlob,
                columnCount: real.columnCount, columnName: real.columnName, columnValue: real.columnValue,
                valueType: real.valueType, valueInteger: real.valueInteger, valueReal: real.valueReal,
                valueText: real.valueText, valueBlob: real.valueBlob, valueBytes: real.valueBytes)))
}

@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteCipherTests {
    private func withFile(_ content: Data?, _ body: (String, SQLiteStore.Configuration) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("store.sqlite")
        if let content { try content.write(to: URL(fileURLWithPath: path)) }
        var configuration = SQLiteStore.Configuration()
        configuration.library = try cipher { 3_045_000 }
        configuration.damage = .setAside
        try body(path, configuration)
    }

    @Test func aCipherTakesTheKey() throws {
        try withFile(nil) { path, configuration throws in
            let store = try SQLiteStore(.file(path), key: "it's secret", configuration: configuration)
            try store.execute("CREATE TABLE jack (id)")
            #expect(try store.tables() == ["jack"])
        }
    }

    @Test func aWrongKeyLeavesTheFileAlone() throws {
        let content = Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
        try withFile(content) { path, configuration throws in
            let error = #expect(throws: StoreError.self) {
                try SQLiteStore(.file(path), key: "hunter2", configuration: configuration)
            }
            #expect(error?.code == .wrongKey)
            #expect(error?.description.contains("hunter2") == false)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
            let left = try FileManager.default.contentsOfDirectory(atPath: (path as NSString).deletingLastPathComponent)
            #expect(left == ["store.sqlite"])
        }
    }

    @Test func aPlainFileNeedsNoKey() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try SQLiteStore(.file(folder.path("plain")))
        try store.execute("CREATE TABLE jack (id)")
        try store.close()
        let content = try Data(contentsOf: URL(fileURLWithPath: folder.path("plain")))
        try withFile(content) { path, configuration throws in
            let error = #expect(throws: StoreError.self) {
                try SQLiteStore(.file(path), key: "hunter2", configuration: configuration)
            }
            #expect(error?.code == .wrongKey)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
        }
    }

    @Test func anSQLiteThatIsTooOldIsRefused() throws {
        let old = try cipher { 3_015_002 }
        #expect(!old.isAvailable)
        #expect(old.versionNumber == 3_015_002)
        var configuration = SQLiteStore.Configuration()
        configuration.library = old
        let error = #expect(throws: StoreError.self) { try SQLiteStore(.memory, configuration: configuration) }
        #expect(error?.code == .libraryMissing)
        #expect(error?.message.contains("3.24") == true)
    }

    @Test func aKeyHoldsNoNUL() throws {
        let error = #expect(throws: StoreError.self) { try SQLiteStore(.memory, key: "a\0b") }
        #expect(error?.code == .invalidArgument)
    }
}
