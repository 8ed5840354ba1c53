import Foundation
import HTTPMessages
import SQLiteStore
import StoreCore
import StoreTestSupport
import TestSupport
import Testing
import VendorServices

@testable import Outbox

/// Database files that earlier versions of the tables wrote.
@Suite(.needsSlot) struct OutboxFormatTests {
    private static let tables = [
        """
        CREATE TABLE "patchbay_outbox_state" (name TEXT PRIMARY KEY, owner TEXT, beat INTEGER NOT NULL, renewed INTEGER)
        """,
        "INSERT INTO \"patchbay_outbox_state\" VALUES ('format', NULL, 1, NULL), ('lease', 'dead', 7, 0)",
        """
        CREATE TABLE "patchbay_outbox" (number INTEGER PRIMARY KEY, idempotencyKey TEXT NOT NULL, userName TEXT NOT NULL,
        entryKey TEXT, name TEXT NOT NULL, phase INTEGER NOT NULL, created INTEGER NOT NULL, expires INTEGER,
        due INTEGER, attempts INTEGER NOT NULL, doubt INTEGER NOT NULL, sender TEXT, failure TEXT, failureText TEXT,
        failureStatus INTEGER, failureBody BLOB, method TEXT NOT NULL, url TEXT NOT NULL, origin TEXT NOT NULL,
        fields TEXT NOT NULL, priority INTEGER NOT NULL, file TEXT, fileStart INTEGER, fileEnd INTEGER,
        isOwned INTEGER, body BLOB, resolutions INTEGER)
        """,
        """
        CREATE TABLE "patchbay_outbox_responses" (number INTEGER PRIMARY KEY, entry INTEGER NOT NULL,
        idempotencyKey TEXT NOT NULL, userName TEXT NOT NULL, entryKey TEXT, name TEXT NOT NULL, status INTEGER NOT NULL,
        url TEXT NOT NULL, fields TEXT NOT NULL, body BLOB NOT NULL, isTruncated INTEGER NOT NULL,
        received INTEGER NOT NULL)
        """,
        "INSERT INTO \"patchbay_outbox_responses\" VALUES (65536, 9, 'k9', '', 'z', 'save', 201, 'http://h/', '[]', x'7B7D', 0, 0)",
    ]
    private static let indexes = [
        "patchbay_outbox_ready ON \"patchbay_outbox\" (userName, phase, priority DESC, number)",
        "patchbay_outbox_key ON \"patchbay_outbox\" (userName, entryKey, number) WHERE entryKey IS NOT NULL",
        "patchbay_outbox_sender ON \"patchbay_outbox\" (sender) WHERE sender IS NOT NULL",
    ]

    /// Entries of all phases: a failed one with one behind it, one that a killed process was sending, a delayed one.
    private static func fill(_ store: any LocalStore) throws {
        for statement in tables { try store.execute(statement, []) }
        for index in indexes {
            do { try store.execute("CREATE INDEX \(index)", []) } catch {
                if error.code != .unsupportedSQL { throw error }
            }
        }
        for (number, key, phase, sender, due) in [
            (1, "a", 3, nil, nil), (2, "a", 0, nil, nil), (3, "b", 2, "dead", nil), (4, "b", 0, nil, nil),
            (5, "c", 4, nil, 1), (6, "d", 1, nil, nil),
        ] as [(Int64, String, Int64, String?, Int64?)] {
            try store.execute(
                """
                INSERT INTO "patchbay_outbox" (number, idempotencyKey, userName, entryKey, name, phase, created, due,
                attempts, doubt, sender, failure, failureText, method, url, origin, fields, priority, body)
                VALUES (?, ?, '', ?, 'save', ?, 0, ?, 1, 0, ?, ?, ?, 'POST', 'http://shop.example/orders',
                'http://shop.example:80', '["Content-Type","text/plain"]', 0, ?)
                """,
                [
                    .integer(number), .text("k\(number)"), .text(key), .integer(phase),
                    due.map { .integer($0) } ?? .null, sender.map { .text($0) } ?? .null,
                    phase == 3 ? .text("response") : .null, phase == 3 ? .text("400") : .null,
                    .blob(Data("\(key)\(number)".utf8)),
                ])
        }
    }

    @Test(arguments: StoreSubject.all, [true, false])
    func `the tables of version 1 are changed, with their entries`(subject: StoreSubject, hasResolutions: Bool)
        async throws
    {
        let world = try OutboxWorld(subject)
        try Self.fill(world.store)
        if !hasResolutions { try world.store.execute("ALTER TABLE patchbay_outbox DROP COLUMN resolutions", []) }
        let outbox = try world.open { $0.startsPaused = true }
        #expect(try outbox.entries().map(\.id.idempotencyKey) == ["k2", "k3", "k4", "k5", "k6"])
        let failure = try #require(try outbox.failures.first)
        #expect(failure.id.idempotencyKey == "k1")
        try outbox.add(OutboxWorld.request(.post, "/orders", "d7"), key: "d", as: "save")
        outbox.resume()
        let status = try await outbox.status { $0.isSettled }
        #expect(status.failed == 1 && status.held == 1)
        #expect(Set(world.bodies) == ["b3", "b4", "c5", "d6", "d7"])
        try outbox.retry(failure.id)
        try await outbox.drained()
        #expect(world.bodies.suffix(2) == ["a1", "a2"])
        #expect(Set(world.service.effects.map(\.idempotencyKey)) == ["k1", "k2", "k3", "k4", "k5", "k6", "key-1"])
        for key in ["b", "d"] {
            let bodies = world.bodies.filter { $0.hasPrefix(key) }
            #expect(bodies == bodies.sorted())
        }
        await outbox.close()
        let again = try world.open()
        #expect(try again.entries().isEmpty)
        await again.close()
    }

    @Test(arguments: [1, 2]) func `a file of an earlier version gets the indexes without new entries`(
        version: Int
    ) async throws {
        let world = try OutboxWorld()
        try Self.fill(world.store)
        if version == 2 {
            for index in Self.indexes.prefix(2) {
                let condition = index.contains(" WHERE ") ? " AND phase >= 0" : " WHERE phase >= 0"
                try world.store.execute("DROP INDEX \(index.prefix { $0 != " " })", [])
                try world.store.execute("CREATE INDEX \(index)\(condition)", [])
            }
            try world.store.execute("UPDATE patchbay_outbox_state SET beat = 2 WHERE name = 'format'", [])
        }
        await (try world.open { $0.startsPaused = true }).close()
        let indexes = try world.store.values(
            of: String.self,
            "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '%phase <> -1' ORDER BY name")
        #expect(indexes == ["patchbay_outbox_key", "patchbay_outbox_ready"])
        #expect(try world.store.values(of: Int.self, "SELECT beat FROM patchbay_outbox_state ORDER BY name") == [3, 7])
    }
}
