import Foundation
import StoreCore
import Testing

@Suite struct RowBatchTests {
    @Test func `cells can be set in any order`() throws {
        var batch = try RowBatch(columns: ["a", "b", "c"])
        batch.beginRow()
        try batch.set(text: "x", at: 2)
        try batch.set(integer: 7, at: 0)
        batch.beginRow()
        try batch.set(real: 0.5, at: 1)
        try batch.set(blob: UnsafeRawBufferPointer(start: nil, count: 0), at: 0)
        #expect(batch.rowCount == 2)
        #expect((0..<3).map { batch.value(row: 0, column: $0) } == [7, nil, "x"])
        #expect((0..<3).map { batch.value(row: 1, column: $0) } == [.blob(Data()), 0.5, nil])
        #expect(batch.value(row: 2, column: 0) == .null)
        #expect(batch.value(row: 0, column: 3) == .null)
        #expect(batch.value(row: -1, column: -1) == .null)
    }

    @Test func `remove last row undoes a row`() throws {
        var batch = try RowBatch(columns: ["a"])
        try batch.append(["kept"])
        let bytes = batch.byteCount
        try batch.append(["gone"])
        batch.removeLastRow()
        #expect(batch.byteCount == bytes)
        try batch.append(["next"])
        #expect((0..<2).map { batch.value(row: $0, column: 0) } == ["kept", "next"])
        for _ in 0..<5 { batch.removeLastRow() }
        #expect(batch.isEmpty)
        try batch.append(["again"])
        #expect(batch.value(row: 0, column: 0) == "again")
        batch.removeAll()
        #expect(batch.isEmpty)
        #expect(batch.byteCount == 0)
    }

    @Test func `reserve capacity accepts any count`() throws {
        var batch = try RowBatch(columns: ["a", "b"])
        for count in [Int.max, .max / 2, .min, 0, 10] { batch.reserveCapacity(rows: count, textBytes: count) }
        try batch.append([1, "x"])
        #expect(batch.value(row: 0, column: 1) == "x")
    }

    @Test func `invalid indexes and counts are rejected`() throws {
        func code(_ body: () throws -> Void) -> StoreError.Code? {
            #expect(throws: StoreError.self, performing: body)?.code
        }
        #expect(code { _ = try RowBatch(columns: []) } == .invalidArgument)
        #expect(code { _ = try RowBatch(columns: ["a", "A"]) } == .invalidArgument)
        var batch = try RowBatch(columns: ["a"])
        #expect(code { try batch.set(integer: 1, at: 0) } == .invalidArgument)
        batch.beginRow()
        for index in [-1, 1, .max, .min] { #expect(code { try batch.set(text: "x", at: index) } == .invalidArgument) }
        #expect(code { try batch.append([1, 2]) } == .invalidArgument)
        #expect(batch.rowCount == 1)
    }
}
