import DeltaSync
import Foundation
import LocalStore
import SQLiteStore

/// A row for `JSONDecoder`.
private struct DecodedRow: Decodable {
    let id: Int64
    let code: String
    let label: String
    let price: Double
    let stock: Int
    let active: Bool
    let updated: String
    let note: String?
}

/// Rows of eight columns, as a JSON array.
struct RowSample {
    static let columns: [SQLIdentifier] = ["id", "code", "label", "price", "stock", "active", "updated", "note"]

    let stream: Data
    let count: Int

    init(count: Int) {
        var text = "["
        text.reserveCapacity(count * 170)
        for id in 0..<count { text += (id == 0 ? "" : ",") + Self.row(id, "plate") }
        text += "]"
        stream = Data(text.utf8)
        self.count = count
    }

    static func row(_ id: Int, _ label: String) -> String {
        let price = "\(id % 997).\(10 + id % 90)"
        let note = id % 5 == 0 ? "null" : "\"line \(id)\\nof a jack in row \(id % 41)\""
        return "{\"id\":\(id),\"code\":\"J-\(100_000 + id)\",\"label\":\"Jack \(label) no. \(id)\",\"price\":\(price),"
            + "\"stock\":\(id % 1000),\"active\":\(id % 3 == 0),\"updated\":\"2024-05-\(10 + id % 20)T12:30:00Z\",\"note\":\(note)}"
    }

    /// Splits the stream into pieces, as a network does.
    static func pieces(_ stream: Data) -> () -> Data? {
        var rest = stream
        return {
            defer { rest = rest.dropFirst(64 * 1024) }
            return rest.isEmpty ? nil : rest.prefix(64 * 1024)
        }
    }
}

extension Harness {
    /// Compares the row parser with Foundation's JSON decoder.
    func rowFigure() async throws -> Figure {
        let sample = RowSample(count: count(500_000))
        return try await compare(
            "Row parser, rows into a batch", operations: sample.count, against: "JSONDecoder, rows into structs",
            subject: { try parse(sample) },
            baseline: { _ = try JSONDecoder().decode([DecodedRow].self, from: sample.stream) })
    }

    /// Measures rows into a batch and deltas into stores. Must run first, before other benchmarks allocate memory.
    func rowFlows() throws -> [RowFlow] {
        let sample = RowSample(count: count(500_000))
        return [try flow("Row parser", rows: sample.count, bytes: sample.stream.count) { try parse(sample) }]
            + (try deltas())
    }

    private func parse(_ sample: RowSample) throws {
        var parser = try RowStreamParser(columns: RowSample.columns.map(\.text))
        var batch = try RowBatch(columns: RowSample.columns)
        var rows = 0
        func read() throws {
            while true {
                let count = try parser.read(into: &batch, atMost: 1024)
                guard count > 0 else { return }
                rows += count
                batch.removeAll()
            }
        }
        let next = RowSample.pieces(sample.stream)
        while let piece = next() {
            parser.push(piece)
            try read()
        }
        parser.finish()
        try read()
        guard rows == sample.count else { throw CocoaError(.coderReadCorrupt) }
    }

    /// Applies deltas that change a quarter of a table's rows.
    private func deltas() throws -> [RowFlow] {
        let folder = try BenchmarkFolder()
        defer { folder.remove() }
        let rows = count(400_000)
        let file = try SQLiteStore(.file(folder.path("rows.sqlite")))
        defer { try? file.close() }
        let journal = MemoryJournalConfiguration(path: folder.path("rows.journal"))
        let durable = try MemoryStore(journal: journal)
        defer { try? durable.close() }
        return [
            try deltaFlow("Delta into SQLiteStore, file", file, rows: rows),
            try deltaFlow("Delta into MemoryStore", MemoryStore(), rows: rows),
            try deltaFlow("Delta into MemoryStore with a journal", durable, rows: rows),
        ]
    }

    private func deltaFlow(_ name: String, _ store: some LocalStore, rows: Int) throws -> RowFlow {
        let types = ["INTEGER", "TEXT", "TEXT", "REAL", "INTEGER", "INTEGER", "TEXT", "TEXT"]
        let columns = zip(RowSample.columns, types).map { TableSchema.Column($0, $1) }
        let target = try DeltaTarget(
            tables: [TableSchema("jack", columns: columns, primaryKey: ["id"])],
            binding: DeltaBinding(server: "https://example.com", resource: "jacks"))
        let applier = DeltaApplier(store)
        func apply(_ header: String, _ body: Data) throws {
            let next = RowSample.pieces(Data(header.utf8) + body)
            var source = JSONDeltaSource(nextChunk: next)
            _ = try applier.apply(&source, to: target)
        }
        func body(_ ids: some Sequence<Int>, _ label: String) -> Data {
            var text = ",{\"table\":\"jack\"}"
            var count = 0
            for id in ids {
                text += ",{\"upsert\":" + RowSample.row(id, label) + "}"
                count += 1
            }
            return Data((text + ",{\"end\":{\"upserts\":\(count),\"deletes\":0}}]").utf8)
        }
        try apply("[{\"to\":\"0\"}", body(0..<rows, "plate"))
        // Scattered keys, some of them new.
        let changes = body((0..<rows / 4).map { $0 * 7919 % (rows + rows / 50) }, "plug")
        var version = 0
        return try flow(name, rows: rows / 4, bytes: changes.count) {
            try apply("[{\"from\":\"\(version)\",\"to\":\"\(version + 1)\"}", changes)
            version += 1
        }
    }

    /// Measures a flow of rows: the median time of the rounds, and the memory of the first one.
    func flow(_ name: String, rows: Int, bytes: Int, _ body: () throws -> Void) throws -> RowFlow {
        Usage.resetPeak()
        let before = Usage.peak
        try body()
        let growth = Usage.peak - before
        let clock = ContinuousClock()
        var times: [Double] = []
        for _ in 0..<rounds {
            let (seconds, attoseconds) = try clock.measure(body).components
            times.append(Double(seconds) + Double(attoseconds) / 1e18)
        }
        return RowFlow(name: name, rows: rows, bytes: bytes, seconds: times.median, peakGrowth: growth)
    }
}

/// The throughput of a flow of rows.
struct RowFlow: Codable {
    let name: String
    let rows: Int
    let bytes: Int
    let seconds: Double
    /// The peak growth of memory, in bytes.
    let peakGrowth: Int
}
