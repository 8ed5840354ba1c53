import Dispatch
import Foundation
import PatchbayTestKit
import StoreCore

extension StoreConformance {
    private static func follow(_ id: Int64, with byKey: borrowing PreparedQuery, into seen: inout [StoreValue]) throws {
        try byKey.query([.integer(id)]) { row in
            seen.append(row.value(at: 0))
            try follow(row.int64(at: 1) ?? 0, with: byKey, into: &seen)
            return true
        }
    }

    /// Reads of one snapshot, and prepared queries.
    static let reads: [StoreConformanceCase] = [
        StoreConformanceCase("read is isolated from concurrent commits") { store, subject in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'plate'), (2, 'panel')")
            var isWritten: @Sendable () throws -> Void = {}
            try store.read { reader throws in
                let written = onThread {
                    try? store.transaction {
                        try store.execute("UPDATE jack SET label = 'changed'")
                        try store.execute("DELETE FROM jack WHERE id = 2")
                        try store.execute("ALTER TABLE jack ADD COLUMN colour TEXT")
                        try store.execute("CREATE TABLE cable (id INTEGER PRIMARY KEY)")
                    }
                }
                isWritten = written
                // Otherwise the writer waits for this reader.
                if subject.readsConcurrently { try written() }
                try expect(reader.rows("SELECT id, label FROM jack ORDER BY id"), is: [[1, "plate"], [2, "panel"]])
                try expect(reader.rows("SELECT label FROM jack WHERE id = ?", [2]), is: [["panel"]])
                try expect(reader.rows("SELECT * FROM jack WHERE id = 1").first?.count, is: 5)
                try expectError { try reader.rows("SELECT * FROM cable") }
                try expect(reader.rows("SELECT count(*) FROM jack"), is: [[2]])
            }
            if !subject.readsConcurrently { try isWritten() }
            try expect(store.rows("SELECT id, label FROM jack"), is: [[1, "changed"]])
            try store.read { reader throws in
                try expect(reader.rows("SELECT * FROM jack").first?.count, is: 6)
                try expect(reader.rows("SELECT * FROM cable").isEmpty)
            }
        },
        StoreConformanceCase("readers see only whole transactions") { store, _ in
            try store.execute("INSERT INTO jack (id, gain) VALUES (1, 0), (2, 0)")
            let rounds = 200
            let isWritten = onThread {
                for round in 1...rounds {
                    try? store.transaction {
                        try store.execute("UPDATE jack SET gain = ? WHERE id = 1", [.integer(Int64(round))])
                        try store.execute("UPDATE jack SET gain = ? WHERE id = 2", [.integer(Int64(round))])
                        if round.isMultiple(of: 3) { throw Interruption() }
                    }
                }
            }
            let readers = (0..<3).map { _ in
                onThread {
                    for _ in 0..<rounds {
                        let gains = try store.read { reader in
                            try [1, 2, 1].map { try reader.rows("SELECT gain FROM jack WHERE id = ?", [$0])[0][0] }
                        }
                        try expect(Set(gains).count, is: 1)
                    }
                }
            }
            for hasRead in readers { try hasRead() }
            try isWritten()
            try expect(store.rows("SELECT gain FROM jack"), is: [[200.0], [200.0]])
        },
        StoreConformanceCase("snapshot is taken when read begins", needs: [.concurrentReads]) { store, _ in
            try store.read { reader throws in
                let written = onThread { _ = try? store.execute("INSERT INTO jack (id) VALUES (1)") }
                try written()
                try expect(reader.rows("SELECT id FROM jack").isEmpty)
            }
            try expect(store.jackIDs(), is: [1])
        },
        StoreConformanceCase("callbacks can query again") { store, _ in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
            var seen: [[StoreValue]] = []
            try store.read { reader throws in
                try reader.query("SELECT id FROM jack ORDER BY id") { outer in
                    let id = outer.value(at: 0)
                    // The same statement, while it is running.
                    try reader.query("SELECT id FROM jack ORDER BY id") { inner in
                        guard inner.value(at: 0) == id else { return true }
                        let label = try reader.rows("SELECT label FROM jack WHERE id = ?", [id])
                        seen.append([outer.value(at: 0), inner.value(at: 0), label[0][0]])
                        return false
                    }
                    return true
                }
            }
            try expect(seen, is: [[1, 1, "a"], [2, 2, "b"], [3, 3, "c"]])
        },
        StoreConformanceCase("prepared queries are reusable and reentrant") { store, _ in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
            var seen: [StoreValue] = []
            try store.read { reader throws in
                try reader.prepare("SELECT label, id + 1 FROM jack WHERE id = ?") { byKey throws in
                    try follow(1, with: byKey, into: &seen)
                    try expectError(.invalidArgument) { try byKey.query { _ in true } }
                    try follow(3, with: byKey, into: &seen)
                }
                for sql in ["DELETE FROM jack", "SELECT * FROM none", "SELECT"] {
                    try expectError { try reader.prepare(SQL(verbatim: sql)) { _ in } }
                }
            }
            try expect(seen, is: ["a", "b", "c", "c"])
        },
        StoreConformanceCase("readers reject writes") { store, _ in
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try store.read { reader throws in
                for sql in [
                    "DELETE FROM jack", "UPDATE jack SET id = 2", "INSERT INTO jack (id) VALUES (2)", "DROP TABLE jack",
                ] {
                    try expectError(.misuse) { try reader.rows(sql, []) }
                }
                try expectError { try reader.rows("BEGIN") }
                try expect(reader.rows("SELECT id FROM jack"), is: [[1]])
            }
            try expect(store.jackIDs(), is: [1])
        },
        StoreConformanceCase("read inside a transaction sees its writes") { store, _ in
            try expectInterruption {
                try store.transaction {
                    try store.execute("INSERT INTO jack (id) VALUES (1)")
                    try store.read { reader throws in try expect(reader.rows("SELECT id FROM jack"), is: [[1]]) }
                    try store.execute("INSERT INTO jack (id) VALUES (2)")
                    try store.read { reader throws in try expect(reader.rows("SELECT id FROM jack"), is: [[1], [2]]) }
                    throw Interruption()
                }
            }
            try expect(store.jackIDs().isEmpty)
        },
        StoreConformanceCase("errors of the body end the read") { store, _ in
            try expectInterruption { try store.read { _ in throw Interruption() } }
            try expectInterruption {
                try store.read { try $0.query("SELECT 1") { _ in throw Interruption() } }
            }
            try expect(store.read { try $0.rows("SELECT 1") }, is: [[1]])
            try store.execute("INSERT INTO jack (id) VALUES (1)")
            try expect(store.read { try $0.rows("SELECT id FROM jack") }, is: [[1]])
        },
        StoreConformanceCase("reader survives failed queries") { store, _ in
            try store.execute("INSERT INTO jack (id, label) VALUES (1, 'plate')")
            try store.read { reader throws in
                for (sql, parameters, code) in [
                    ("SELECT ?", [], StoreError.Code.invalidArgument), ("SELECT 1", [1], .invalidArgument),
                    ("SELECT * FROM none", [], .noSuchTable), ("SELECT none FROM jack", [], .noSuchColumn),
                    ("SELECT FROM", [], .syntax), ("SELECT 1; SELECT 2", [], .syntax),
                ] as [(String, [StoreValue], StoreError.Code)] {
                    try expectError(code) { try reader.rows(sql, parameters) }
                }
                try expect(
                    String(decoding: reader.queryJSON("SELECT id, label FROM jack"), as: UTF8.self),
                    is: "[{\"id\":1,\"label\":\"plate\"}]")
            }
        },
        StoreConformanceCase("store calls inside read work or throw misuse") { store, subject in
            var written: [StoreValue] = []
            var refusals = 0
            try store.read { reader throws in
                func works(_ call: () throws -> Void) throws -> Bool {
                    do {
                        try call()
                        return true
                    } catch let error as StoreError where error.code == .misuse {
                        refusals += 1
                        return false
                    }
                }
                _ = try works { try store.query("SELECT 1") { _ in true } }
                _ = try works { _ = try store.tableNames() }
                _ = try works { try store.read { _ = try $0.rows("SELECT 1") } }
                if try works({ try store.execute("INSERT INTO jack (id) VALUES (1)") }) { written.append(1) }
                if try works({ try store.transaction { _ = try store.execute("INSERT INTO jack (id) VALUES (2)") } }) {
                    written.append(2)
                }
                try expect(reader.rows("SELECT id FROM jack").isEmpty)
                try expectError(.misuse) { try store.close() }
            }
            if subject.readsConcurrently { try expect(refusals, is: 0) }
            try expect(store.jackIDs(), is: written)
        },
        StoreConformanceCase("read throws after close") { store, _ in
            try store.close()
            try expectError(.closed) { try store.read { _ in } }
        },
        StoreConformanceCase("reader can write while another thread closes", needs: [.concurrentReads]) { store, _ in
            var isClosed: @Sendable () throws -> Void = {}
            try store.read { reader throws in
                isClosed = onThread { try store.close() }
                for id in 0..<200 as Range<Int64> {
                    try store.execute("INSERT INTO jack (id) VALUES (?)", [.integer(id)])
                }
                try expect(reader.rows("SELECT id FROM jack").isEmpty)
            }
            try isClosed()
            try expectError { try store.read { _ in } }
        },
        StoreConformanceCase("close waits for readers") { store, _ in
            let (isReading, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let hasRead = onThread {
                try store.read { reader throws in
                    isReading.signal()
                    mayEnd.wait()
                    try expect(reader.rows("SELECT id FROM jack").isEmpty)
                }
            }
            isReading.wait()
            let isClosed = onThread { try store.close() }
            mayEnd.signal()
            try hasRead()
            try isClosed()
            try expectError { try store.read { _ in } }
        },
    ]
}
