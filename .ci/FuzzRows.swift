import Foundation

/// One input for the row streams: its first byte says how to cut and to read the rest. Whatever comes, nothing may trap,
/// every cut gives the same, and what is read is JSON to Foundation as well.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRows(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 1 else { return 0 }
    let stream = Data(bytes: start + 1, count: count - 1)
    let choice = start.pointee
    let sizes = [1, 2, 3, 5, 8, 13, 64, 1024]
    let pieces = sizes[Int(choice & 7)]
    if choice & 8 == 0 {
        let limit = choice & 16 == 0 ? 64 : 1 << 20
        let shape: RowStreamParser.Shape = choice & 32 == 0 ? .objects : .lists
        let ignores = choice & 64 == 0
        let whole = Reading(stream, pieces: .max, shape, ignores, limit)
        let cut = Reading(stream, pieces: pieces, shape, ignores, limit)
        if whole != cut { fatalError("cut into pieces of \(pieces) it is something else: \(whole) \(cut)") }
        if whole.error == nil, (try? JSONSerialization.jsonObject(with: stream)) == nil {
            fatalError("Foundation does not read it: \(whole)")
        }
    } else {
        let whole = DeltaReading(stream, pieces: .max)
        let cut = DeltaReading(stream, pieces: pieces)
        if whole != cut { fatalError("cut into pieces of \(pieces) it is another delta: \(whole) \(cut)") }
    }
    return 0
}

/// What became of a list of rows.
struct Reading: Equatable {
    var rows: [[StoreValue]] = []
    var error: String?

    init(_ stream: Data, pieces: Int, _ shape: RowStreamParser.Shape, _ ignores: Bool, _ limit: Int) {
        let columns = ["a", "b", "c\""]
        let own = try? RowStreamParser(
            columns: columns, shape: shape, ignoresUnknownColumns: ignores, maximumRowLength: limit)
        guard var parser = own, var batch = try? RowBatch(columns: columns.map { SQLIdentifier($0) }) else { return }
        do throws(DeltaError) {
            var rest = stream
            while !rest.isEmpty {
                parser.push(rest.prefix(pieces))
                rest = rest.dropFirst(pieces)
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
struct DeltaReading: Equatable {
    var header: DeltaHeader?
    var operations: [[StoreValue]] = []
    var error: String?

    init(_ stream: Data, pieces: Int) {
        guard
            let a = try? TableSchema("t", columns: [.init("a"), .init("b")], primaryKey: ["a"]),
            let b = try? TableSchema("u", columns: [.init("x"), .init("y")], primaryKey: ["y", "x"]),
            let target = try? DeltaTarget(tables: [a, b], binding: DeltaBinding(server: "", resource: "r")),
            var batches = try? [RowBatch(columns: ["a", "b"]), RowBatch(columns: ["x", "y"])],
            var keys = try? [RowBatch(columns: ["a"]), RowBatch(columns: ["y", "x"])]
        else { return }
        var rest = stream
        var source = JSONDeltaSource(maximumRowLength: 1 << 20) {
            defer { rest = rest.dropFirst(pieces) }
            return rest.isEmpty ? nil : rest.prefix(pieces)
        }
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
