import Testing

@testable import StoreCore

@Suite struct ChangeTextTests {
    @Test(arguments: [
        "INSERT INTO t VALUES (1)", "replace into t values (1)", "UPDATE t SET a = 1", "DELETE FROM t",
        "-- new\nINSERT INTO t VALUES (1)", "/* SELECT */ DELETE FROM t", "\u{FEFF}DELETE FROM t",
        "INSERT INTO t VALUES ('returning', \"RETURNING\") -- RETURNING", "INSERT INTO t SELECT a FROM s",
        "WITH s AS (SELECT 1) DELETE FROM t",
        "WITH s(a) AS (SELECT (1)), r AS NOT MATERIALIZED (SELECT 2) UPDATE t SET a = 1",
        "WITH \"select\" AS (VALUES (1)) INSERT INTO t SELECT * FROM \"select\"",
    ])
    func `a change without RETURNING gives no rows`(sql: String) { #expect(ChangeText.givesNoRows(sql)) }

    @Test(arguments: [
        "SELECT 1", "-- update of the list\nSELECT * FROM t", "/* Delete? no */ SELECT * FROM t", "VALUES (1)",
        "DELETE FROM t RETURNING a", "insert into t values (1) returning/**/a", "EXPLAIN DELETE FROM t",
        "WITH s AS (SELECT 1) SELECT * FROM s", "WITH replace AS (SELECT 1) SELECT * FROM replace",
        "WITH RECURSIVE s(a) AS (VALUES (1)) VALUES (2)", "WITH s AS (SELECT 1) DELETE FROM t RETURNING a",
        "SELECT replace(a, 'b', 'c') FROM t", "PRAGMA user_version", "CREATE TABLE t (a)", "", "--", "WITH", "größe",
    ])
    func `any other statement may give rows`(sql: String) { #expect(!ChangeText.givesNoRows(sql)) }
}
