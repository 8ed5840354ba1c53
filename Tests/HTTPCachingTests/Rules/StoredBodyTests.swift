import Foundation
import Testing

@testable import HTTPCaching

@Suite struct StoredBodyTests {
    private func text(_ body: StoredBody?, _ range: Range<Int64>) throws -> String? {
        try body?.slice(range).map { String(decoding: try $0.data(), as: UTF8.self) }
    }

    @Test func `parts are joined in any order`() throws {
        let whole = Data("0123456789".utf8)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var parts: [Range<Int64>] = []
            var body: StoredBody?
            var known = Set<Int64>()
            while known.count < 10 {
                let lower = Int64.random(in: 0..<10, using: &generator)
                let range = lower..<Int64.random(in: (lower + 1)...10, using: &generator)
                let data = Data(whole[Int(range.lowerBound)..<Int(range.upperBound)])
                parts.append(range)
                known.formUnion(range)
                body =
                    try body.map { try #require($0.isComplete ? $0 : $0.adding(data, at: range, length: 10)) }
                    ?? StoredBody(data, parts: [range], length: 10)
                let stored = try #require(body)
                #expect(stored.isConsistent)
                if stored.isComplete { break }
                for range in parts {
                    #expect(
                        try text(stored, range)
                            == String(decoding: whole[Int(range.lowerBound)..<Int(range.upperBound)], as: UTF8.self))
                }
                #expect(stored.byteCount == known.count)
            }
            // A first part of all bytes stays a part here; the layer makes a whole of it.
            #expect(try text(body, 0..<10) == "0123456789")
        }
    }

    @Test func `parts of another length are not joined`() {
        let body = StoredBody(Data("01".utf8), parts: [0..<2], length: 10)
        #expect(body.adding(Data("2".utf8), at: 2..<3, length: 11) == nil)
        #expect(body.completionOffset == 2)
        #expect(StoredBody(Data("12".utf8), parts: [1..<3], length: 10).completionOffset == nil)
        #expect(StoredBody(Data("01".utf8), parts: [0..<2], length: nil).completionOffset == nil)
    }
}
