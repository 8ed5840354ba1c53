import Foundation
import Testing

@testable import JSON

@Suite struct ByteBufferTests {
    private func text(_ write: (inout ByteBuffer) throws -> Void) throws -> String {
        var buffer = try ByteBuffer(capacity: 1)
        try write(&buffer)
        return String(decoding: buffer.data(), as: UTF8.self)
    }

    @Test func `integers are written in decimal`() throws {
        let powers = (0...18).map { (0..<$0).reduce(Int64(1)) { power, _ in power * 10 } }
        let edges: [Int64] = [.min, .min + 1, .max, 0]
        for number in edges + powers + powers.map({ $0 - 1 }) + powers.map({ -$0 }) {
            let written = try text {
                try $0.reserve(20)
                $0.put(decimal: number)
            }
            #expect(written == "\(number)")
        }
    }

    @Test func `finite numbers are written as Swift describes them`() throws {
        let numbers = [
            0, 1, 0.1, 1.5, 100, 123_456_789, 0x1p49, 0x1p50, 0x1p50 + 1, 1e15, 1e16, 1e300,
            Double.leastNonzeroMagnitude, .pi,
        ]
        for number in numbers + numbers.map({ -$0 }) {
            #expect(try text { try $0.append(finite: number) } == number.description)
        }
    }

    @Test func `a buffer grows, and keeps its bytes`() throws {
        let written = try text {
            for index in 0..<1000 { try $0.append("\(index),") }
            try $0.append("")
        }
        #expect(written == (0..<1000).map { "\($0)," }.joined())
        #expect(try text { _ in } == "")
    }
}
