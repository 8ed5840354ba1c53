import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore
@testable import StoreCore

/// Collations of the app.
@Suite(.enabled(if: SQLiteLibrary.system.isAvailable, "SQLite is not installed."))
struct SQLiteCollationTests {
    private func error(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self, performing: body)
    }

    private func configuration(_ collations: SQLiteStore.Collation...) -> SQLiteStore.Configuration {
        var configuration = SQLiteStore.Configuration()
        configuration.collations = collations
        return configuration
    }

    // MARK: unicodeNoCase

    static let equal = [
        ("abc", "ABC"), ("É", "é"), ("E\u{301}", "é"), ("Straße", "STRASSE"), ("ΟΔΟΣ", "οδος"), ("", ""),
        ("a\0b", "A\0B"), ("Я", "я"),
    ]
    static let ascending = [
        ("", "a"), ("a", "B"), ("A", "b"), ("Ab", "aBc"), ("Z", "é"), ("a\0", "A\0b"), ("e", "É"), ("eZ", "e\u{301}"),
        ("_", "a"),
    ]

    private func order(_ one: String, _ other: String) -> ComparisonResult {
        Data(one.utf8).withUnsafeBytes { one in
            Data(other.utf8).withUnsafeBytes { SQLiteStore.Collation.unicodeNoCase.compare(one, $0) }
        }
    }

    @Test(arguments: equal) func `unicodeNoCase ignores case and composition`(one: String, other: String) {
        #expect(order(one, other) == .orderedSame)
        #expect(order(other, one) == .orderedSame)
    }

    @Test(arguments: ascending) func `unicodeNoCase orders`(one: String, other: String) {
        #expect(order(one, other) == .orderedAscending)
        #expect(order(other, one) == .orderedDescending)
    }

    @Test func `unicodeNoCase is a total order`() {
        let texts = Self.equal.flatMap { [$0.0, $0.1] } + Self.ascending.flatMap { [$0.0, $0.1] }
        for one in texts {
            for two in texts {
                #expect(order(one, two).rawValue == -order(two, one).rawValue)
                for three in texts
                where order(one, two) != .orderedDescending && order(two, three) != .orderedDescending {
                    #expect(order(one, three) != .orderedDescending, "\(one), \(two), \(three)")
                }
            }
        }
    }

    @Test func `unicodeNoCase sorts and finds in an index of a file`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a")
        let store = try SQLiteStore(.file(path), configuration: configuration(.unicodeNoCase))
        try store.execute("CREATE TABLE person (name TEXT COLLATE unicodeNoCase UNIQUE)")
        try store.execute("INSERT INTO person VALUES ('Zoë'), ('ÉMILE'), ('anna'), ('Émilie')")
        #expect(
            try store.rows("SELECT name FROM person ORDER BY name") == [["anna"], ["Zoë"], ["ÉMILE"], ["Émilie"]])
        #expect(try store.rows("SELECT name FROM person WHERE name = 'émile'") == [["ÉMILE"]])
        #expect(error { try store.execute("INSERT INTO person VALUES ('ZOË')") }?.code == .constraint)
        try store.close()

        // Without the collation, the file opens, but statements that need it say which one.
        let other = try SQLiteStore(.file(path))
        #expect(try other.value("SELECT count(*) FROM person") == 4)
        let missing = error { _ = try other.rows("SELECT name FROM person ORDER BY name") }
        #expect(missing?.code == .unsupportedSQL)
        #expect(missing?.message.contains("no such collation sequence: unicodeNoCase; ") == true)
        #expect(missing?.message.contains("Configuration.collations") == true)
        #expect(error { try other.execute("INSERT INTO person VALUES ('x')") }?.code == .unsupportedSQL)
        try other.close()
        var again = configuration(.unicodeNoCase)
        again.verifiesIntegrityOnOpen = true
        #expect(try SQLiteStore(.file(path), configuration: again).value("SELECT max(name) FROM person") == "Émilie")
    }

    // MARK: Own collations

    @Test func `an own collation orders text, with invalid UTF-8 replaced`() throws {
        let seen = Mutex<Set<String>>([])
        let byLength = SQLiteStore.Collation("byLength") { left, right in
            seen.withLock { $0.formUnion([left, right]) }
            return left.count < right.count
                ? .orderedAscending : left.count > right.count ? .orderedDescending : .orderedSame
        }
        let store = try SQLiteStore(.memory, configuration: configuration(byLength))
        let sql =
            "SELECT a FROM (SELECT 'ccc' AS a UNION ALL SELECT 'b' UNION ALL SELECT 'aa') ORDER BY a COLLATE byLength"
        #expect(try store.rows(sql, []) == [["b"], ["aa"], ["ccc"]])
        #expect(try store.value("SELECT CAST(x'ff' AS TEXT) < 'bb' COLLATE BYLENGTH") == 1)
        #expect(seen.withLock { $0.contains("\u{FFFD}") })
    }

    @Test func `names of SQLite's collations and invalid ones are refused`() {
        for name in ["nocase", "BINARY", "rTrim", "", "a\0b", String(repeating: "c", count: 256)] {
            let collation = SQLiteStore.Collation(name) { _, _ in .orderedSame }
            #expect(
                error { _ = try SQLiteStore(.memory, configuration: configuration(collation)) }?.code
                    == .invalidArgument)
        }
    }

    @Test func `collations are released with the store`() throws {
        final class Owned: Sendable {}
        weak var released: Owned?
        func use() throws {
            let owned = Owned()
            released = owned
            let collation = SQLiteStore.Collation("c") { _, _ in
                _ = owned
                return .orderedSame
            }
            let store = try SQLiteStore(.memory, configuration: configuration(collation))
            #expect(try store.value("SELECT 'a' = 'b' COLLATE c") == 1)
            #expect(released != nil)
        }
        try use()
        #expect(released == nil)
    }
}
