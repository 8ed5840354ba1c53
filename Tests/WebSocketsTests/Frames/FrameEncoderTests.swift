import Foundation
import PatchbayTestKit
import Testing

@testable import WebSockets

@Suite struct FrameEncoderTests {
    /// The mask of the examples of RFC 6455, section 5.7: 37 fa 21 3d.
    private struct ExampleMask: RandomNumberGenerator, Sendable {
        mutating func next() -> UInt64 { UInt64(UInt32(littleEndian: 0x3D21_FA37)) << 32 | 0x3D21_FA37 }
    }

    @Test func `the examples of RFC 6455 are encoded`() throws {
        var server = FrameEncoder(role: .server)
        var client = FrameEncoder(role: .client, masks: ExampleMask())
        var bytes = Data()
        try server.encode(.text("Hello"), to: &bytes)
        #expect(bytes == hex("81 05 48 65 6c 6c 6f"))
        bytes = Data()
        try client.encode(.text("Hello"), to: &bytes)
        #expect(bytes == hex("81 85 37 fa 21 3d 7f 9f 4d 51 58"))
        bytes = Data()
        client.encodePong(Data("Hello".utf8), to: &bytes)
        #expect(bytes == hex("8a 85 37 fa 21 3d 7f 9f 4d 51 58"))
        bytes = Data()
        server.encodePing(Data("Hello".utf8), to: &bytes)
        #expect(bytes == hex("89 05 48 65 6c 6c 6f"))
        bytes = Data()
        try server.encode(.binary(Data(repeating: 1, count: 256)), to: &bytes)
        #expect(bytes.prefix(4) == hex("82 7e 01 00") && bytes.count == 260)
        bytes = Data()
        try server.encode(.binary(Data(repeating: 1, count: 65_536)), to: &bytes)
        #expect(bytes.prefix(10) == hex("82 7f 00 00 00 00 00 01 00 00") && bytes.count == 65_546)
    }

    @Test func `a close frame has no code, or a code and a reason of up to 123 bytes`() throws {
        var server = FrameEncoder(role: .server)
        var bytes = Data()
        server.encodeClose(.noCode, reason: "x", to: &bytes)
        #expect(bytes == hex("88 00"))
        bytes = Data()
        server.encodeClose(.normal, reason: String(repeating: "€", count: 100), to: &bytes)
        // 41 characters of three bytes; half a character would not be UTF-8.
        #expect(bytes.prefix(4) == hex("88 7d 03 e8") && bytes.count == 127)
        #expect(try Decoded([bytes]).events == [.close(.normal, reason: String(repeating: "€", count: 41))])
    }

    @Test(arguments: [0, 1, 7, 8, 9, 125, 126, 65_535, 65_536, 200_001])
    func `what a client encodes, a server decodes`(size: Int) throws {
        var encoder = FrameEncoder(role: .client, masks: SeededGenerator(seed: UInt64(size)))
        let message = WebSocketMessage.binary(Data((0..<size).map { UInt8(truncatingIfNeeded: $0) }))
        var bytes = Data()
        try encoder.encode(message, to: &bytes)
        #expect(try Decoded([bytes], role: .server).events == [.message(message)])
    }

    @Test func `a mask applies at any offset`() {
        let key = UInt32(littleEndian: 0x0403_0201)
        let whole = Array(UInt8(0)..<100)
        var expected = whole
        for index in expected.indices { expected[index] ^= [1, 2, 3, 4][index % 4] }
        for start in 0..<12 {
            var bytes = Array(whole[start...])
            bytes.withUnsafeMutableBytes { FrameMask.apply(key, to: $0, offset: start) }
            #expect(bytes == Array(expected[start...]))
        }
    }
}
