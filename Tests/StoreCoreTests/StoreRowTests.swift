import Foundation
import Testing

@testable import StoreCore

/// Rows over cells; rows of the stores are covered by the conformance suite.
@Suite struct StoreRowTests {
    @Test func `cells are read without copying`() {
        let text = Array("plate".utf8)
        text.withUnsafeBytes { text in
            let empty = UnsafeRawBufferPointer(start: nil, count: 0)
            let cells: [StoreCell] = [.integer(.min), .real(-0.5), .text(text), .blob(text), .null, .text(empty)]
            cells.withUnsafeBufferPointer { cells in
                let row = StoreRow(columnNames: ["a", "b", "c", "d", "e", "f"], cells: cells)
                #expect(row.columnCount == 6)
                #expect(row.values == [.integer(.min), -0.5, "plate", .blob(Data("plate".utf8)), nil, ""])
                #expect((0..<6).map { row.kind(at: $0) } == [.integer, .real, .text, .blob, .null, .text])
                #expect(row.double(at: 0) == Double(Int64.min))
                #expect(row.int64(at: 1) == nil)
                #expect(row.withBytes(at: 2) { $0.baseAddress } == text.baseAddress)
                #expect(row.withBytes(at: 5) { $0.count } == 0)
                for index in [-1, 6, .max, .min] { #expect(row.value(at: index) == .null) }
            }
        }
    }

    @Test func `invalid UTF 8 is replaced`() {
        let bytes: [UInt8] = [0x61, 0xFF]
        bytes.withUnsafeBytes { bytes in
            let cells = [StoreCell.text(bytes)]
            cells.withUnsafeBufferPointer { cells in
                #expect(StoreRow(columnNames: ["a"], cells: cells).text(at: 0) == "a\u{FFFD}")
            }
        }
    }

    @Test func `rows are made from values`() {
        let values: [StoreValue] = [
            .integer(.min), -0.5, "plate é𝄞\0", .blob(Data([0, 255])), nil, "", .blob(Data()), .real(.nan),
        ]
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"]
        let row = StoreRow(columnNames: names, values: values)
        #expect(row.columnNames == names)
        #expect(row.values == values.dropLast() + [nil])
        #expect(row.withBytes(at: 2) { Array($0) } == Array("plate é𝄞\0".utf8))
        #expect(row.withBytes(at: 3) { Array($0) } == [0, 255])
        let long = String(repeating: "0123456789", count: 1000)
        let other = StoreRow(columnNames: ["a"], values: [.text(long)])
        #expect(other.text(at: 0) == long)
    }

    @Test func `values match the columns`() {
        #expect(StoreRow(columnNames: ["a", "b"], values: [1]).values == [1, nil])
        #expect(StoreRow(columnNames: ["a"], values: [1, "ignored"]).values == [1])
        #expect(StoreRow(columnNames: [], values: [1]).values == [])
    }
}
