import Foundation
import PatchbayTestKit
import StoreCore

extension StoreConformance {
    private struct Gain<Number: Encodable>: Encodable {
        var id = 1
        var gain: Number
    }

    private struct Price: Codable, Equatable {
        var id: Int
        var amount: Decimal
    }

    /// Numbers that a store must keep exactly, or refuse.
    static let numbers: [StoreConformanceCase] = [
        StoreConformanceCase("a record with NaN is refused") { store, _ in
            func check(_ record: some Encodable) throws {
                let calls: [() throws -> Void] = [
                    { _ = try store.insert(record, into: "jack") }, { _ = try store.insert([record], into: "jack") },
                    { try store.upsert(record, into: "jack") }, { _ = try store.upsert([record], into: "jack") },
                    { _ = try store.update(record, in: "jack") },
                ]
                for (number, call) in calls.enumerated() {
                    let error = try expectError(.invalidArgument, "\(type(of: record)), call \(number)", of: call)
                    try expect(error.message.contains("gain"), "the error does not name the column: \(error.message)")
                }
            }
            try store.execute("INSERT INTO jack (id, gain) VALUES (1, 0.5)")
            try check(Gain(gain: Double.nan))
            try check(Gain(gain: Float.signalingNaN))
            try check(Gain(gain: Double?.some(.nan)))
            try check(Gain(gain: Float?.some(.nan)))
            try check(Gain(gain: Decimal.nan))
            try check(Gain(gain: [0.5, Double.nan]))
            try check(Gain(gain: Date(timeIntervalSinceReferenceDate: .nan)))
            try expect(store.rows("SELECT id, gain FROM jack"), is: [[1, 0.5]])
            try store.upsert(Gain(gain: -Double.infinity), into: "jack")
            try expect(store.value(of: Double.self, "SELECT gain FROM jack"), is: -.infinity)
        },
        StoreConformanceCase("decimal numbers are exact or refused") { store, _ in
            let texts = [
                "0", "-1.5", "0.1", "123456789012.345", "9007199254740993", "9223372036854775807",
                "-9223372036854775808", "9223372036854775808", "100000000000000000000", "0.1234567890123456",
                "12345678901234567890.123456789", "-0.00000000000000000000000000001", "1234567890123456000000",
            ]
            let types = ["TEXT", "", "NUMERIC", "DECIMAL(10,2)", "INTEGER", "REAL"]
            for (index, type) in types.enumerated() {
                let table = SQLIdentifier("price\(index)")
                try store.execute(SQL(verbatim: "CREATE TABLE price\(index) (id INTEGER PRIMARY KEY, amount \(type))"))
                var refused: [String] = []
                for (id, text) in texts.enumerated() {
                    let price = Price(id: id, amount: try required(Decimal(string: text)))
                    do { try store.insert(price, into: table) } catch let error as StoreError {
                        try expect(error.code, is: .invalidArgument)
                        try expect(error.message.contains("TEXT") && error.message.contains("amount"), error.message)
                        try expectError(.invalidArgument) { try store.upsert([price], into: table) }
                        try expectError(.invalidArgument) { try store.update(price, in: table) }
                        refused.append(text)
                        continue
                    }
                    let read = try store.first(as: Price.self, "SELECT * FROM \(table) WHERE id = \(id)")
                    try expect(read, is: price, "\(text) in a column of type \(type)")
                }
                switch type {
                case "TEXT", "": try expect(refused, is: [])
                case "REAL": try expect(refused, is: Array(texts[4...7] + texts[9...]))
                default: try expect(refused, is: [texts[7]] + texts[9...])
                }
            }
        },
        StoreConformanceCase("each date is read as it was written") { store, _ in
            struct Event: Codable, Equatable { var at: Date, times: [Date] }
            let exact = StoreCoding(dates: .referenceSeconds)
            try store.execute("CREATE TABLE event (at, times)")
            let seconds = [0, 0.1, -0.1, 722_693_489.123_456_78, 722_693_489.0.nextUp, -1e9.nextUp, 1e-300, 6.3e10 / 7]
            for number in seconds {
                let date = Date(timeIntervalSinceReferenceDate: number)
                let event = Event(at: date, times: [date, date])
                try store.insert(event, into: "event", coding: exact)
                let read = try store.first(as: Event.self, "SELECT * FROM event", coding: exact)
                try expect(read, is: event, "the date of \(number)")
                try expect(store.value("SELECT at FROM event"), is: .real(number))
                try store.execute("DELETE FROM event")
            }
            // The other numbers are those of SQLite, with the rounding that is documented.
            for milliseconds in [1_701_000_689_123, -1, 0, 253_402_300_799_999] {
                let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
                let event = Event(at: date, times: [date])
                for coding in [StoreCoding(dates: .unixSeconds), StoreCoding(dates: .unixMilliseconds)] {
                    try store.insert(event, into: "event", coding: coding)
                    let read = try required(store.first(as: Event.self, "SELECT * FROM event", coding: coding))
                    try expect(read.times, is: [read.at], "the date within JSON")
                    if coding.dates == .unixSeconds { try expect(read, is: event) }
                    try expect(abs(read.at.timeIntervalSince(date)) < 0.001, "\(read.at) for \(date)")
                    try store.execute("DELETE FROM event")
                }
            }
        },
        StoreConformanceCase("keys reach both ends of 64 bits") { store, _ in
            try store.execute("INSERT INTO jack (id, label) VALUES (-9223372036854775808, 'low')")
            try store.execute("INSERT INTO jack (label) VALUES ('next')")
            try expect(store.jackIDs(), is: [.integer(.min), .integer(.min + 1)])
            try store.execute("INSERT INTO jack (id, label) VALUES (9223372036854775807, 'high')")
            for (key, label) in [
                ("9223372036854775807", "high"), ("-9223372036854775808", "low"), ("'9223372036854775807'", "high"),
            ] {
                try expect(store.rows("SELECT label FROM jack WHERE id = \(SQL(verbatim: key))"), is: [[.text(label)]])
            }
            for key in ["9223372036854775808", "9223372036854775807.0", "1e300", "-1e300", "'9223372036854775808'"] {
                try expect(store.rows("SELECT label FROM jack WHERE id = \(SQL(verbatim: key))"), is: [], key)
            }
            try expect(store.rows("SELECT label FROM jack WHERE id > 9223372036854775806"), is: [["high"]])
            try expect(store.rows("SELECT label FROM jack WHERE id >= 9223372036854775807.0"), is: [])
            try expect(store.rows("SELECT label FROM jack WHERE id <= -9223372036854775808.0"), is: [["low"]])
            try expectError(.constraint) { try store.execute("UPDATE jack SET id = id + 1 WHERE label = 'high'") }
            try expectError(.constraint) { try store.execute("UPDATE jack SET id = id - 1 WHERE label = 'low'") }
            try expectError(.constraint) { try store.execute("INSERT INTO jack (id) VALUES (9223372036854775808)") }
        },
        StoreConformanceCase("a free key is chosen when the largest is in use") { store, _ in
            try store.execute("INSERT INTO jack (id, label) VALUES (9223372036854775807, 'high')")
            let key = try store.insert(["label": "a"], into: "jack")
            try expect((1..<Int64.max).contains(key), "the key \(key)")
            try expect(store.rows("SELECT label FROM jack WHERE id = \(key)"), is: [["a"]])
            try store.execute("INSERT INTO jack (label) VALUES ('b'), ('c')")
            try store.insert(try RowBatch(["label"], [["d"], ["e"]]), into: "jack")
            try store.transaction { _ = try store.insert(["label": "f"], into: "jack") }
            try expect(
                store.rows("SELECT label FROM jack ORDER BY label"),
                is: [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["high"]])
            try expect(Set(store.jackIDs()).count, is: 7)
            try store.execute("CREATE TABLE plain (a)")
            try store.execute("INSERT INTO plain (rowid, a) VALUES (9223372036854775807, 1)")
            try store.execute("INSERT INTO plain VALUES (2)")
            try expect(store.rows("SELECT a FROM plain ORDER BY rowid"), is: [[2], [1]])
        },
    ]
}
