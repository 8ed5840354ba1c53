import Foundation
import Testing

@testable import LocalStore

/// Rows over cells; rows of the stores are covered by the conformance suite.
@Suite struct StoreRowTests {
    @Test func cellsAreReadWithoutCopying() {
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

    @Test func invalidUTF8IsReplaced() {
        let bytes: [UInt8] = [0x61, 0xFF]
        bytes.withUnsafeBytes { bytes in
            let cells = [StoreCell.text(bytes)]
            cells.withUnsafeBufferPointer { cells in
                #expect(StoreRow(columnNames: ["a"], cells: cells).text(at: 0) == "a\u{FFFD}")
            }
        }
    }
}
