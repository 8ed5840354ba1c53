import PatchbayTestKit
import Testing

@testable import WebSockets

@Suite struct UTF8ValidatorTests {
    private func isValid(_ pieces: [[UInt8]]) -> Bool {
        var validator = UTF8Validator()
        for piece in pieces {
            guard piece.withUnsafeBytes({ validator.append($0) }) else { return false }
        }
        return validator.isComplete
    }

    @Test(arguments: 0..<5000) func `it agrees with the standard library, however the bytes are split`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let interesting: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF,
            0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        var bytes = Array(String("aé€😀".randomElement(using: &generator)!).utf8)
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            bytes.append(interesting.randomElement(using: &generator)!)
        }
        let split = Int.random(in: 0...bytes.count, using: &generator)
        let expected = String(validating: bytes, as: UTF8.self) != nil
        #expect(isValid([bytes]) == expected)
        #expect(isValid([Array(bytes[..<split]), Array(bytes[split...])]) == expected)
    }
}
