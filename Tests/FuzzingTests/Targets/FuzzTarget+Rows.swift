import Foundation
import JSON
import StoreCore

@testable import DeltaSync
@testable import HyperHive

extension FuzzTarget {
    private static let words = [
        "\"upsert\":", "\"delete\":[", "\"table\":\"t\"", "\"end\":{", "\"from\":", "\"a\":", "null", "true", "\\ud83d",
        "\\ude00", "1e400", "9223372036854775808", "\"insert_rows\":[", "\"delete_ids\":[", "\"name\":", "\"data\":",
    ]

    /// Rows of local stores.
    static let rows = [
        FuzzTarget(
            "rows",
            [
                #"[{"a":1,"b":-2.5e3,"c\"":"\ud83d\ude00x"},{"a":null,"b":[1,{"x":true}]}]"#,
                #"[[1,"2",null],[false,1e22,"a\nä"]]"#,
            ],
            words: words
        ) { bytes in
            for shape in [RowStreamParser.Shape.objects, .lists] {
                for (ignores, limit) in [(true, 64), (false, 1 << 20)] {
                    var error: String?
                    try promiseSame(bytes) { pieces in
                        let reading = RowReading(pieces, shape, ignores, limit)
                        error = reading.error
                        return reading
                    }
                    let isJSON = error != nil || (try? JSONSerialization.jsonObject(with: bytes)) != nil
                    try promise(isJSON, "Foundation does not read it")
                }
            }
        },
        FuzzTarget(
            "deltas",
            [
                """
                [{"resource":"r","from":"1","to":"2","more":false},{"table":"t","key":["a"]},{"upsert":{"a":1,"b":2}},\
                {"delete":[3]},{"table":"u"},{"upsert":{"x":1,"y":2}},{"end":{"upserts":2,"deletes":1}}]
                """
            ],
            words: words
        ) { bytes in
            try promiseSame(bytes) { DeltaReading($0) }
        },
        FuzzTarget(
            "hyperhive-tables",
            [
                #"[{"name":"fruits","insert_rows":[[101,1,"Apple"]],"delete_ids":[102]},{"name":"trees","data":[[7]]}]"#,
                #"[{"data":[[1,2,null]],"name":"fruits","x":{"y":[]}}]"#,
            ],
            words: words
        ) { bytes in
            for isSpooled in [false, true] where bytes.count < 200 {
                try promiseSame(bytes) { try TableReading($0, isSpooled: isSpooled) }
            }
        },
    ]
}

/// What became of a list of rows.
private struct RowReading: Equatable {
    var rows: [[StoreValue]] = []
    var error: String?

    init(_ pieces: [Data], _ shape: RowStreamParser.Shape, _ ignores: Bool, _ limit: Int) {
        let columns = ["a", "b", "c\""]
        let own = try? RowStreamParser(
            columns: columns, shape: shape, ignoresUnknownColumns: ignores, maximumRowLength: limit)
        guard var parser = own, var batch = try? RowBatch(columns: columns.map { SQLIdentifier($0) }) else { return }
        do throws(DeltaError) {
            for piece in pieces {
                parser.push(piece)
                while try parser.read(into: &batch, atMost: 1) > 0 {}
            }
            parser.finish()
            while try parser.read(into: &batch, atMost: 1) > 0 {}
        } catch {
            self.error = error.description
        }
        rows = (0..<batch.rowCount).map { row in columns.indices.map { batch.value(row: row, column: $0) } }
    }
}

/// What became of a delta.
private struct DeltaReading: Equatable {
    var header: DeltaHeader?
    var operations: [[StoreValue]] = []
    var error: String?

    init(_ pieces: [Data]) {
        guard
            let a = try? TableSchema("t", columns: [.init("a"), .init("b")], primaryKey: ["a"]),
            let b = try? TableSchema("u", columns: [.init("x"), .init("y")], primaryKey: ["y", "x"]),
            let target = try? DeltaTarget(tables: [a, b], binding: DeltaBinding(server: "", resource: "r")),
            var batches = try? [RowBatch(columns: ["a", "b"]), RowBatch(columns: ["x", "y"])],
            var keys = try? [RowBatch(columns: ["a"]), RowBatch(columns: ["y", "x"])]
        else { return }
        var rest = pieces.filter { !$0.isEmpty }[...]
        var source = JSONDeltaSource(maximumRowLength: 1 << 20) { rest.popFirst() }
        do throws(DeltaError) {
            header = try source.begin(target)
            while true {
                for index in 0...1 {
                    batches[index].removeAll()
                    keys[index].removeAll()
                }
                var buffer = DeltaBuffer(rows: batches, keys: keys)
                switch try source.next(into: &buffer) {
                case .upserts(let table): append(buffer.rows[table], table)
                case .deletes(let table): append(buffer.keys[table], -1 - table)
                case .end(let counts):
                    operations.append([.integer(Int64(counts?.upserts ?? -1)), .integer(Int64(counts?.deletes ?? -1))])
                    return
                }
            }
        } catch {
            // Nothing of it is applied, so how far it came does not count.
            operations = []
            self.error = error.description
        }
    }

    private mutating func append(_ batch: RowBatch, _ table: Int) {
        for row in 0..<batch.rowCount {
            operations.append(
                [.integer(Int64(table))] + batch.columns.indices.map { batch.value(row: row, column: $0) })
        }
    }
}

/// What became of a response with tables.
private struct TableReading: Equatable {
    var rows: [[StoreValue]] = []
    var error: String?

    init(_ pieces: [Data], isSpooled: Bool) throws {
        let tables = try [
            ResourceTarget.Table(
                "fruits", TableSchema("f", columns: [.init("id"), .init("b"), .init("c")], primaryKey: ["id"])),
            ResourceTarget.Table("trees", TableSchema("t", columns: [.init("id")], primaryKey: ["id"])),
        ]
        var rest = pieces.filter { !$0.isEmpty }[...]
        let folder = FileManager.default.temporaryDirectory
        var reader = TableResponseReader(tables, .any, folder: folder) { rest.popFirst() }
        do throws(DeltaError) {
            if isSpooled {
                try reader.spool()
                try read(&reader, .deletions, tables)
                reader.rewind()
            }
            try read(&reader, .rows, tables)
        } catch {
            self.error = error.description
        }
    }

    private mutating func read(
        _ reader: inout TableResponseReader, _ pass: TableResponseParser.Pass, _ tables: [ResourceTarget.Table]
    ) throws(DeltaError) {
        guard let empty = try? tables.map({ try RowBatch(columns: $0.schema.columns.map(\.name)) }),
            let emptyKeys = try? tables.map({ try RowBatch(columns: $0.schema.primaryKey) })
        else { return }
        while true {
            var (rows, keys) = (empty, emptyKeys)
            switch try reader.next(pass, rows: &rows, keys: &keys) {
            case .rows(let table): append(rows[table])
            case .deletions(let table): append(keys[table])
            case .end: return
            }
        }
    }

    private mutating func append(_ batch: RowBatch) {
        for row in 0..<batch.rowCount {
            rows.append(batch.columns.indices.map { batch.value(row: row, column: $0) })
        }
    }
}
