import Foundation
import StoreCore
import Testing

@Suite struct StoreValueTests {
    @Test func `values have a kind`() {
        let values: [StoreValue] = [nil, 7, 0.5, "a", .blob(Data([1]))]
        #expect(values.map(\.kind) == [.null, .integer, .real, .text, .blob])
        #expect(values == [.null, .integer(7), .real(0.5), .text("a"), .blob(Data([1]))])
    }

    @Test func `numbers differ from their text`() {
        #expect(StoreValue.integer(1) != .real(1))
        #expect(StoreValue.integer(1) != .text("1"))
        #expect(StoreValue.text("a") != .blob(Data("a".utf8)))
    }
}
