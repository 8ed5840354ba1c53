import DeltaSync
import Foundation
import StoreCore

@testable import HyperHive

/// Operations or error of a response, read in chunks.
struct TableResponse: Equatable {
    /// One text for each row and deletion, in the order of the passes.
    var operations: [String] = []
    var code: DeltaError.Code?
    var offset: Int?

    static let tables = [
        ResourceTarget.Table("fruits", schema("R_fruits", ["hhive_id", "id", "name"], key: ["hhive_id"])),
        ResourceTarget.Table("trees", schema("R_trees", ["hhive_id"], key: ["hhive_id"])),
    ]
    static let keyless = [ResourceTarget.Table("fruits", schema("R_fruits", ["a", "b"], key: []))]

    private static func schema(_ name: SQLIdentifier, _ columns: [String], key: [SQLIdentifier]) -> TableSchema {
        do {
            return try TableSchema(name, columns: columns.map { .init(SQLIdentifier($0)) }, primaryKey: key)
        } catch {
            fatalError("\(error)")
        }
    }

    /// - Parameter isSpooled: true to read deletions, then rows, as a delta; false to read the rows as they arrive.
    init(
        _ bytes: Data, chunkSize: Int = .max, isSpooled: Bool, _ format: TableResponseParser.Format = .any,
        tables: [ResourceTarget.Table] = Self.tables
    ) throws {
        var rest = bytes[...]
        var reader = TableResponseReader(tables, format, folder: FileManager.default.temporaryDirectory) {
            defer { rest = rest.dropFirst(chunkSize) }
            return rest.isEmpty ? nil : Data(rest.prefix(chunkSize))
        }
        let rows = try tables.map { try RowBatch(columns: $0.schema.columns.map(\.name)) }
        let keys = try tables.map { try RowBatch(columns: $0.key.isEmpty ? ["none"] : $0.schema.primaryKey) }
        do throws(DeltaError) {
            if isSpooled {
                try reader.spool()
                try read(&reader, .deletions, rows, keys)
                reader.rewind()
            }
            try read(&reader, .rows, rows, keys)
        } catch {
            (code, offset) = (error.code, error.offset)
        }
    }

    init(
        _ text: String, chunkSize: Int = .max, isSpooled: Bool, _ format: TableResponseParser.Format = .any,
        tables: [ResourceTarget.Table] = Self.tables
    ) throws {
        try self.init(Data(text.utf8), chunkSize: chunkSize, isSpooled: isSpooled, format, tables: tables)
    }

    private mutating func read(
        _ reader: inout TableResponseReader, _ pass: TableResponseParser.Pass, _ rows: [RowBatch], _ keys: [RowBatch]
    ) throws(DeltaError) {
        while true {
            var (rows, keys) = (rows, keys)
            switch try reader.next(pass, rows: &rows, keys: &keys) {
            case .rows(let table): add("+\(table)", rows[table])
            case .deletions(let table): add("-\(table)", keys[table])
            case .end: return
            }
        }
    }

    private mutating func add(_ prefix: String, _ batch: RowBatch) {
        for row in 0..<batch.rowCount {
            let cells = batch.columns.indices.map { column in
                switch batch.value(row: row, column: column) {
                case .null: "null"
                case .integer(let value): "\(value)"
                case .real(let value): "\(value)"
                case .text(let text): "'\(text)'"
                case .blob: "blob"
                }
            }
            operations.append("\(prefix) \(cells.joined(separator: " "))")
        }
    }
}
