import Foundation
import StoreCore

/// The tables of a ``LogStore``. Calls are numbered in the order of their ends; the numbers grow.
enum LogTables {
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
    }

    static func insert(_ records: [LogRecord], into store: any LocalStore) throws {
        var sequence = try number(store, "SELECT max(sequence) FROM call_log")
        var calls = try RowBatch(columns: [
            "sequence", "id", "date", "method", "url", "status", "error", "duration", "attempts", "sentBytes",
            "receivedBytes", "requestFields", "responseFields", "requestBody", "responseBody", "bytes",
        ])
        var events = try RowBatch(columns: ["sequence", "number", "time", "attempt", "text"])
        for record in records {
            sequence += 1
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
    static func trim(_ store: any LocalStore, _ retention: LogStore.Retention, now: Date) throws {
        let oldest = now.timeIntervalSince1970 - retention.age.timeInterval
        var last = try number(store, "SELECT max(sequence) FROM call_log WHERE date < ?", [.real(oldest)])
        var excess =
            try number(store, "SELECT sum(bytes) FROM call_log WHERE sequence > ?", [.integer(last)])
            - Int64(clamping: retention.bytes)
        if excess > 0 {
            try store.query(
                "SELECT sequence, bytes FROM call_log WHERE sequence > ? ORDER BY sequence", [.integer(last)]
            ) { row in
                last = row.int64(at: 0) ?? last
                excess -= row.int64(at: 1) ?? 0
                return excess > 0
            }
        }
        guard last > 0 else { return }
        try store.execute("DELETE FROM call_log WHERE sequence <= ?", [.integer(last)])
        try store.execute("DELETE FROM call_log_event WHERE sequence <= ?", [.integer(last)])
    }

    private static func number(
        _ store: any LocalStore, _ sql: String, _ parameters: [StoreValue] = []
    ) throws -> Int64 {
        guard case .integer(let number)? = try store.rows(sql, parameters).first?.first else { return 0 }
        return number
    }
}
