import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@testable import WebSockets

@Suite struct MessageCompressionTests {
    private static let hello = FrameEvent.message(.text("Hello"))

    /// The examples of RFC 7692, section 7.2.3.
    static let examples: [(name: String, bytes: Data, events: [FrameEvent])] = [
        ("one block (7.2.3.1)", hex("c1 07 f2 48 cd c9 c9 07 00"), [hello]),
        ("in two frames (7.2.3.1)", hex("41 03 f2 48 cd 80 04 c9 c9 07 00"), [hello]),
        ("shared window (7.2.3.2)", hex("c1 07 f2 48 cd c9 c9 07 00 c1 05 f2 00 11 00 00"), [hello, hello]),
        ("no compression (7.2.3.3)", hex("c1 0b 00 05 00 fa ff 48 65 6c 6c 6f 00"), [hello]),
        ("final block (7.2.3.4)", hex("c1 08 f3 48 cd c9 c9 07 00 00"), [hello]),
        (
            "two blocks (7.2.3.5)", hex("c1 0d f2 48 05 00 00 00 ff ff ca c9 c9 07 00"), [hello]
        ),
        ("empty (7.2.3.6)", hex("c1 01 00"), [.message(.text(""))]),
    ]

    @Test(arguments: examples.indices) func `the examples of RFC 7692 decode`(index: Int) throws {
        let example = Self.examples[index]
        let decoded = try Decoded([example.bytes], compression: CompressionAgreement())
        #expect(decoded.events == example.events && decoded.code == nil, "\(example.name)")
    }

    @Test func `a message that ends within a block closes with 1007`() throws {
        let deflater = try MessageDeflater(windowBits: 15, keepsContext: true)
        let content = Data((0..<2000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) })
        let payload = try deflater.compress(content)
        for count in [payload.count / 3, payload.count / 2, payload.count - 1] {
            let bytes = RawFrame(first: 0xC2, payload: Data(payload.prefix(count))).bytes
            let decoded = try Decoded([bytes], compression: CompressionAgreement())
            #expect(decoded.events.isEmpty && decoded.closeCode == .invalidData, "\(count) of \(payload.count) bytes")
        }
    }

    @Test func `a final block may end the message`() throws {
        let bytes = hex("c1 07 f3 48 cd c9 c9 07 00 c1 05 f2 00 11 00 00")
        #expect(try Decoded([bytes], compression: CompressionAgreement()).events == [Self.hello, Self.hello])
        let empty = RawFrame(first: 0xC2, payload: Data(repeatElement(hex("03 00"), count: 100_000).joined())).bytes
        #expect(
            try Decoded([empty], compression: CompressionAgreement()).events == [.message(.binary(Data()))])
    }

    @Test func `a message of the maximum size is delivered, though compression has enlarged it`() throws {
        var generator = SeededGenerator(seed: 3)
        for size in [1, 10, 1000, 100_000] {
            let content = Data((0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
            let payload = try MessageDeflater(windowBits: 15, keepsContext: true).compress(content)
            #expect(payload.count > size)
            let bytes = RawFrame(first: 0xC2, payload: payload).bytes
            let decoded = try Decoded([bytes], limit: size, compression: CompressionAgreement())
            #expect(decoded.events == [.message(.binary(content))], "\(size) bytes")
            guard size > 1 else { continue }
            let larger = try Decoded([bytes], limit: size - 1, compression: CompressionAgreement())
            #expect(larger.code == .messageTooLarge)
        }
    }

    @Test func `a final block keeps the window for the next message`() throws {
        let bytes = hex("c1 08 f3 48 cd c9 c9 07 00 00 c1 05 f2 00 11 00 00")
        #expect(try Decoded([bytes], compression: CompressionAgreement()).events == [Self.hello, Self.hello])
    }

    @Test func `the compressor writes the examples`() throws {
        let deflater = try MessageDeflater(windowBits: 15, keepsContext: true)
        #expect(try deflater.compress(Data("Hello".utf8)) == hex("f2 48 cd c9 c9 07 00"))
        #expect(try deflater.compress(Data("Hello".utf8)) == hex("f2 00 11 00 00"))
        let forgetful = try MessageDeflater(windowBits: 9, keepsContext: false)
        for _ in 0..<2 { #expect(try forgetful.compress(Data("Hello".utf8)) == hex("f2 48 cd c9 c9 07 00")) }
        #expect(try deflater.compress(Data()) == hex("00"))
    }

    @Test func `without context takeover each message stands alone`() throws {
        var agreement = CompressionAgreement()
        agreement.serverContextTakeover = false
        let second = try Decoded(
            [hex("c1 07 f2 48 cd c9 c9 07 00 c1 05 f2 00 11 00 00")], compression: agreement)
        #expect(second.events == [Self.hello] && second.code == .protocolViolation)
        #expect(second.closeCode == .invalidData)
    }

    @Test(arguments: [(63, 0x81), (64, 0xC1)] as [(Int, UInt8)])
    func `a message below 64 bytes is sent as it is`(size: Int, firstByte: UInt8) async throws {
        let (client, server) = MemoryConnection.pair()
        let transport = Peer.transport(over: .bytes(client), fields: ["Sec-WebSocket-Extensions": "permessage-deflate"])
        let socket = try await transport.webSocket("wss://example.com/", options: .quiet)
        try await socket.send(.text(String(repeating: "x", count: size)))
        #expect(try await server.read()?.first == firstByte)
        withExtendedLifetime(socket) {}
    }

    @Test func `a bomb ends at the limit`() throws {
        let deflater = try MessageDeflater(windowBits: 15, keepsContext: true)
        let payload = try deflater.compress(Data(count: 64 << 20))
        let bytes = RawFrame(first: 0xC2, payload: payload).bytes
        #expect(bytes.count < 100_000)
        let decoded = try Decoded([bytes], limit: 1 << 20, compression: CompressionAgreement())
        #expect(decoded.events.isEmpty && decoded.code == .messageTooLarge && decoded.closeCode == .messageTooLarge)
    }

    @Test(arguments: [0, 1, 1000, 65_536, 1 << 20, 3 << 20], [9, 12, 15])
    func `what one side compresses, the other reads`(size: Int, bits: Int) throws {
        var generator = SeededGenerator(seed: UInt64(size))
        // Half of it random, so that the result has more than one piece of zlib.
        let content = Data((0..<size).map { $0 & 64 == 0 ? 7 : UInt8(truncatingIfNeeded: generator.next()) })
        let deflater = try MessageDeflater(windowBits: bits, keepsContext: true)
        for _ in 0..<3 {
            let bytes = RawFrame(first: 0xC2, payload: try deflater.compress(content)).bytes
            let fresh = try Decoded([bytes], compression: nil)
            #expect(fresh.code == .protocolViolation)
        }
        let again = try MessageDeflater(windowBits: bits, keepsContext: true)
        let frames = try (0..<3).map { _ in RawFrame(first: 0xC2, payload: try again.compress(content)).bytes }
        let decoded = try Decoded(frames, compression: CompressionAgreement())
        #expect(decoded.events == Array(repeating: .message(.binary(content)), count: 3))
    }
}
