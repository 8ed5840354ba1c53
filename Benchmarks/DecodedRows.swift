import Foundation
import SQLiteStore
import StoreCore

/// A record of eight columns.
private struct Measurement: Codable {
    let id: Int
    let station: Int
    let label: String
    let gain: Double
    let level: Double
    let isValid: Bool
    let taken: Date
    let note: String?

    static let query: SQL = "SELECT * FROM measurement"

    /// All records, each cell read by its index.
    static func readByHand(_ store: SQLiteStore) throws -> [Measurement] {
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
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("patchbay-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SQLiteStore(.file(folder.appendingPathComponent("store.sqlite").path))
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
        try store.execute(
            """
            CREATE TABLE measurement (id INTEGER PRIMARY KEY, station INTEGER, label TEXT, gain REAL, level REAL,
            isValid INTEGER, taken TEXT, note TEXT)
            """)
        try store.insert(
            (0..<rows).lazy.map { id in
                Measurement(
                    id: id, station: id % 97, label: "measurement no. \(id % 1000)", gain: Double(id) * 0.5,
                    level: Double(id % 1013) / 7, isValid: !id.isMultiple(of: 3),
                    taken: Date(timeIntervalSince1970: 1_700_000_000 + Double(id) * 12.125),
                    note: id.isMultiple(of: 5) ? nil : "line \(id) of a note")
            }, into: "measurement")
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
