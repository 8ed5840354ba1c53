import Foundation
import SQLiteStore
import StoreCore

extension Measurement {
    fileprivate static let query: SQL = "SELECT * FROM measurement"

    /// All records, each cell read by its index.
    fileprivate static func readByHand(_ store: SQLiteStore) throws -> [Measurement] {
        var records: [Measurement] = []
        try store.query(query) { row in
            records.append(
                Measurement(
                    id: Int(row.int64(at: 0) ?? 0), station: Int(row.int64(at: 1) ?? 0), label: row.text(at: 2) ?? "",
                    gain: row.double(at: 3) ?? 0, level: row.double(at: 4) ?? 0, isValid: row.int64(at: 5) == 1,
                    taken: try row.value(of: Date.self, at: 6), note: row.text(at: 7)))
            return true
        }
        return records
    }
}

/// The same record as JSON has it: a `Bool` is a number there.
private struct JSONMeasurement: Decodable {
    let id: Int
    let station: Int
    let label: String
    let gain: Double
    let level: Double
    let isValid: Int
    let taken: Date
    let note: String?
}

extension Harness {
    /// Compares rows decoded into structs with two other ways to fill these structs from an SQLite file.
    func decodedRows() async throws -> [Figure] {
        guard SQLiteLibrary.system.isAvailable else { return [] }
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        let store = try SQLiteStore(.file(folder.path("store.sqlite")))
        let rows = count(200_000)
        try fill(store, rows)
        let name = "SQLite in a file, rows of 8 columns decoded"
        let decoder = Self.makeJSONDecoder()
        let figures = [
            try await compare(
                name, operations: rows, against: "queryJSON and JSONDecoder",
                subject: { try decode(store, rows) },
                baseline: {
                    let json = try store.queryJSON(Measurement.query)
                    try check(decoder.decode([JSONMeasurement].self, from: json).count, rows)
                }),
            try await compare(
                name, operations: rows, against: "cells read by index",
                subject: { try decode(store, rows) },
                baseline: { try check(Measurement.readByHand(store).count, rows) }),
        ]
        try store.close()
        return figures
    }

    private func decode(_ store: SQLiteStore, _ rows: Int) throws {
        try check(store.rows(as: Measurement.self, Measurement.query).count, rows)
    }

    private struct WrongCount: Error {}

    /// Uses a result, so that the optimizer keeps it.
    private func check(_ count: Int, _ expected: Int) throws {
        if count != expected { throw WrongCount() }
    }

    private func fill(_ store: SQLiteStore, _ rows: Int) throws {
        try store.execute(Measurement.definition)
        try store.insert((0..<rows).lazy.map(Measurement.init(number:)), into: "measurement")
    }

    /// Reads the store's dates with Foundation's parser.
    private static func makeJSONDecoder() -> JSONDecoder {
        let format = Date.ISO8601FormatStyle().year().month().day().dateTimeSeparator(.space)
            .time(includingFractionalSeconds: true)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            try format.parse(decoder.singleValueContainer().decode(String.self))
        }
        return decoder
    }
}
