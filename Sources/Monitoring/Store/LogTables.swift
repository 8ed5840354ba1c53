import Foundation
import StoreCore

/// The tables of a ``LogStore``. Calls are numbered in the order of their ends; the numbers grow.
enum LogTables {
    /// What the tables have, so that a write need not read all calls.
    struct Contents: Sendable {
        /// The lowest number of a call, after the last write; 0 without calls.
        var first: Int64
        /// The highest number of a call; 0 without calls.
        var last: Int64
        /// The start of the last call: numbers begin again when all calls are removed.
        var lastDate: Double?
        /// The size of all calls.
        var bytes: Int64
    }

    static func create(in store: any LocalStore) throws {
        try store.execute(
            """
            CREATE TABLE IF NOT EXISTS call_log (
                sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, date REAL NOT NULL, method TEXT NOT NULL,
                url TEXT NOT NULL, status INTEGER, error TEXT, duration REAL NOT NULL, attempts INTEGER NOT NULL,
                sentBytes INTEGER NOT NULL, receivedBytes INTEGER NOT NULL, requestFields TEXT NOT NULL,
                responseFields TEXT, requestBody TEXT, responseBody TEXT, bytes INTEGER NOT NULL)
            """, [])
        try store.execute(
            """
            CREATE TABLE IF NOT EXISTS call_log_event (
                sequence INTEGER NOT NULL, number INTEGER NOT NULL, time REAL NOT NULL,
                attempt INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (sequence, number))
            """, [])
        // A store without indexes, such as MemoryStore, is searched.
        do {
            try store.transaction {
                _ = try store.execute("CREATE INDEX IF NOT EXISTS call_log_date ON call_log (date)", [])
            }
        } catch let error as StoreError where error.code == .unsupportedSQL {}
    }

    /// The contents of the tables: the known ones, unless another process has changed the first or the last call.
    static func contents(of store: any LocalStore, known: Contents?) throws -> Contents {
        let ends = try contents(of: store, bytes: known?.bytes ?? 0)
        if let known, (known.first, known.last, known.lastDate) == (ends.first, ends.last, ends.lastDate) {
            return known
        }
        return try contents(of: store, bytes: number(store, "SELECT sum(bytes) FROM call_log"))
    }

    /// The contents of the tables, whose size is known.
    static func contents(of store: any LocalStore, bytes: Int64) throws -> Contents {
        // A statement for each end: SQLite reads all calls for both in one.
        let first = try number(store, "SELECT min(sequence) FROM call_log")
        let last = try number(store, "SELECT max(sequence) FROM call_log")
        var date: Double?
        try store.query("SELECT date FROM call_log WHERE sequence = ?", [.integer(last)]) { row in
            date = row.double(at: 0)
            return false
        }
        return Contents(first: first, last: last, lastDate: date, bytes: bytes)
    }

    static func insert(_ records: [LogRecord], into store: any LocalStore, _ contents: inout Contents) throws {
        guard !records.isEmpty else { return }
        var calls = try RowBatch(columns: [
            "sequence", "id", "date", "method", "url", "status", "error", "duration", "attempts", "sentBytes",
            "receivedBytes", "requestFields", "responseFields", "requestBody", "responseBody", "bytes",
        ])
        var events = try RowBatch(columns: ["sequence", "number", "time", "attempt", "text"])
        for record in records {
            contents.last += 1
            contents.bytes += Int64(record.bytes)
            let sequence = contents.last
            let call = record.call
            calls.beginRow()
            try calls.set(integer: sequence, at: 0)
            try calls.set(text: call.id, at: 1)
            try calls.set(real: call.date, at: 2)
            try calls.set(text: call.method, at: 3)
            try calls.set(text: call.url, at: 4)
            if let status = call.status { try calls.set(integer: status, at: 5) }
            if let error = call.error { try calls.set(text: error, at: 6) }
            try calls.set(real: call.duration, at: 7)
            try calls.set(integer: call.attempts, at: 8)
            try calls.set(integer: call.sentBytes, at: 9)
            try calls.set(integer: call.receivedBytes, at: 10)
            try calls.set(text: call.requestFields, at: 11)
            if let fields = call.responseFields { try calls.set(text: fields, at: 12) }
            if let body = call.requestBody { try calls.set(text: body, at: 13) }
            if let body = call.responseBody { try calls.set(text: body, at: 14) }
            try calls.set(integer: Int64(record.bytes), at: 15)
            for event in record.events {
                events.beginRow()
                try events.set(integer: sequence, at: 0)
                try events.set(integer: event.number, at: 1)
                try events.set(real: event.time, at: 2)
                try events.set(integer: event.attempt, at: 3)
                try events.set(text: event.text, at: 4)
            }
        }
        try store.insert(calls, into: "call_log")
        if events.rowCount > 0 { try store.insert(events, into: "call_log_event") }
    }

    /// Deletes calls that are too old, and the oldest ones until the rest is small enough.
    static func trim(
        _ store: any LocalStore, _ retention: LogStore.Retention, now: Date, _ contents: inout Contents
    ) throws {
        let oldest = now.timeIntervalSince1970 - retention.age.timeInterval
        // Not all before the last one: a long call started before others, and ended after them.
        var old: [Int64] = []
        try store.query("SELECT sequence, bytes FROM call_log WHERE date < ?", [.real(oldest)]) { row in
            guard let sequence = row.int64(at: 0) else { return true }
            old.append(sequence)
            contents.bytes -= row.int64(at: 1) ?? 0
            return true
        }
        for range in ranges(of: old.sorted()) { try delete(range, from: store) }
        let limit = Int64(clamping: retention.bytes)
        guard contents.bytes > limit else { return }
        var last: Int64 = 0
        try store.query("SELECT sequence, bytes FROM call_log ORDER BY sequence", []) { row in
            last = row.int64(at: 0) ?? last
            contents.bytes -= row.int64(at: 1) ?? 0
            return contents.bytes > limit
        }
        // All are deleted: another process has deleted some that are not seen by the ends.
        if contents.bytes > limit { contents.bytes = 0 }
        if last > 0 { try delete(1...last, from: store) }
    }

    /// Numbers in order as ranges without gaps.
    private static func ranges(of numbers: [Int64]) -> [ClosedRange<Int64>] {
        numbers.reduce(into: []) { ranges, number in
            if let range = ranges.last, range.upperBound + 1 == number {
                ranges[ranges.count - 1] = range.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
    }

    private static func delete(_ calls: ClosedRange<Int64>, from store: any LocalStore) throws {
        for table in ["call_log", "call_log_event"] {
            try store.execute(
                "DELETE FROM \(table) WHERE sequence >= ? AND sequence <= ?",
                [.integer(calls.lowerBound), .integer(calls.upperBound)])
        }
    }

    private static func number(
        _ store: any LocalStore, _ sql: String, _ parameters: [StoreValue] = []
    ) throws -> Int64 {
        guard case .integer(let number)? = try store.rows(sql, parameters).first?.first else { return 0 }
        return number
    }
}
