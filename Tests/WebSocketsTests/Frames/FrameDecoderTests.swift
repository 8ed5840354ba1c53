import Foundation
import PatchbayTestKit
import Testing

@testable import WebSockets

@Suite struct FrameDecoderTests {
    /// The examples of RFC 6455, section 5.7.
    static let examples: [(name: String, bytes: Data, role: WebSocketRole, event: FrameEvent)] = [
        ("text", hex("81 05 48 65 6c 6c 6f"), .client, .message(.text("Hello"))),
        ("masked text", hex("81 85 37 fa 21 3d 7f 9f 4d 51 58"), .server, .message(.text("Hello"))),
        ("fragmented text", hex("01 03 48 65 6c 80 02 6c 6f"), .client, .message(.text("Hello"))),
        ("ping", hex("89 05 48 65 6c 6c 6f"), .client, .ping(Data("Hello".utf8))),
        ("masked pong", hex("8a 85 37 fa 21 3d 7f 9f 4d 51 58"), .server, .pong(Data("Hello".utf8))),
        (
            "256 bytes", hex("82 7e 01 00") + Data(repeating: 7, count: 256), .client,
            .message(.binary(Data(repeating: 7, count: 256)))
        ),
        (
            "64 KiB", hex("82 7f 00 00 00 00 00 01 00 00") + Data(repeating: 7, count: 65_536), .client,
            .message(.binary(Data(repeating: 7, count: 65_536)))
        ),
    ]

    @Test(arguments: examples.indices) func `the examples of RFC 6455 decode`(index: Int) throws {
        let example = Self.examples[index]
        let decoded = try Decoded([example.bytes], role: example.role)
        #expect(decoded.events == [example.event] && decoded.code == nil, "\(example.name)")
    }

    static let violations: [(name: String, bytes: Data, role: WebSocketRole)] = [
        ("masked frame of a server", hex("81 85 37 fa 21 3d 7f 9f 4d 51 58"), .client),
        ("frame of a client without a mask", hex("81 05 48 65 6c 6c 6f"), .server),
        ("RSV1 without an extension", hex("c1 05 48 65 6c 6c 6f"), .client),
        ("RSV2", hex("a1 05 48 65 6c 6c 6f"), .client),
        ("RSV3", hex("91 05 48 65 6c 6c 6f"), .client),
        ("RSV1 on a ping", hex("c9 00"), .client),
        ("opcode 3", hex("83 00"), .client),
        ("opcode 11", hex("8b 00"), .client),
        ("fragmented ping", hex("09 00"), .client),
        ("ping of 126 bytes", hex("89 7e 00 7e"), .client),
        ("continuation without a message", hex("80 00"), .client),
        ("text within a fragmented text", hex("01 00 81 00"), .client),
        ("length 125 in two bytes", hex("82 7e 00 7d"), .client),
        ("length 65535 in eight bytes", hex("82 7f 00 00 00 00 00 00 ff ff"), .client),
        ("highest bit of the length", hex("82 7f 80 00 00 00 00 00 00 00"), .client),
        ("close frame of one byte", hex("88 01 03"), .client),
        ("close code 1005", hex("88 02 03 ed"), .client),
        ("close code 999", hex("88 02 03 e7"), .client),
        ("close code 5000", hex("88 02 13 88"), .client),
    ]

    @Test(arguments: violations.indices) func `a violation closes with 1002`(index: Int) throws {
        let violation = Self.violations[index]
        let decoded = try Decoded([violation.bytes], role: violation.role)
        #expect(decoded.events.isEmpty, "\(violation.name)")
        #expect(decoded.code == .protocolViolation && decoded.closeCode == .protocolError, "\(violation.name)")
    }

    @Test func `a text that is not UTF-8 closes with 1007 before its end has arrived`() throws {
        // A lead byte that cannot exist, in the first fragment of a message of which the rest is missing.
        let decoded = try Decoded([hex("01 7e 01 00 48 c0")])
        #expect(decoded.code == .invalidText && decoded.closeCode == .invalidData)
        let cut = try Decoded([hex("81 02 e2 82")])
        #expect(cut.code == .invalidText)
        let reason = try Decoded([hex("88 04 03 e8 c3 28")])
        #expect(reason.code == .invalidText && reason.closeCode == .invalidData)
    }

    @Test func `a character may be split between fragments`() throws {
        let decoded = try Decoded([hex("01 01 e2 00 01 82 80 01 ac")])
        #expect(decoded.events == [.message(.text("€"))])
    }

    @Test func `control frames stand between fragments, and nothing follows a close frame`() throws {
        let decoded = try Decoded([hex("01 01 41 89 01 50 80 01 42 88 04 03 e9 4f 4b 81 01 43")])
        #expect(
            decoded.events == [.ping(Data("P".utf8)), .message(.text("AB")), .close(.goingAway, reason: "OK")])
        #expect(decoded.code == nil)
        #expect(try Decoded([hex("88 00")]).events == [.close(.noCode, reason: "")])
    }

    @Test(arguments: ["88 02 03 e8", "83 00"])
    func `bytes behind the end are dropped`(end: String) throws {
        var decoder = FrameDecoder(role: .client, limit: 100)
        decoder.supply(hex("82 02 01"))
        #expect(try decoder.next() == nil)
        #expect(decoder.unreadCount == 0)
        decoder.supply(hex("02" + end + "82 01"))
        #expect(try decoder.next() == .message(.binary(Data([1, 2]))))
        _ = try? decoder.next()
        for _ in 0..<10 { decoder.supply(Data(count: 1000)) }
        #expect(decoder.unreadCount == 0)
        #expect(try decoder.next() == nil)
    }

    @Test func `a message over the limit fails by its header, and fragments by their sum`() throws {
        let large = try Decoded([hex("82 7f 7f ff ff ff ff ff ff ff")])
        #expect(large.code == .messageTooLarge && large.closeCode == .messageTooLarge)
        #expect(try Decoded([hex("82 04 01 02 03 04")], limit: 4).events.count == 1)
        #expect(try Decoded([hex("82 05 01")], limit: 4).code == .messageTooLarge)
        #expect(try Decoded([hex("02 03 01 02 03 00 02 04 05")], limit: 4).code == .messageTooLarge)
    }

    @Test func `empty fragments that never end fail`() throws {
        let decoded = try Decoded([hex("01 00")] + Array(repeating: hex("00 00"), count: 1000), limit: 1000)
        #expect(decoded.code == .messageTooLarge)
    }

    @Test(arguments: 0..<64) func `any split of the bytes gives the same events`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let role: WebSocketRole = seed.isMultiple(of: 2) ? .client : .server
        let compression = seed.isMultiple(of: 3) ? CompressionAgreement() : nil
        let (bytes, expected) = try Self.conversation(to: role, compression, using: &generator)
        var pieces: [Data] = []
        var rest = bytes
        while !rest.isEmpty {
            let size = Int.random(in: 1...(Bool.random(using: &generator) ? 3 : 400), using: &generator)
            pieces.append(Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        let whole = try Decoded([bytes], role: role, compression: compression)
        #expect(whole.events == expected && whole.code == nil)
        #expect(try Decoded(pieces, role: role, compression: compression) == whole)
    }

    /// Random messages in random fragments, with control frames between them.
    private static func conversation(
        to role: WebSocketRole, _ compression: CompressionAgreement?, using generator: inout SeededGenerator
    ) throws -> (bytes: Data, events: [FrameEvent]) {
        let sender: WebSocketRole = role == .client ? .server : .client
        let deflater = try compression?.deflater(for: sender, minimumBytes: 0)
        var (bytes, events) = (Data(), [FrameEvent]())
        func mask() -> [UInt8]? {
            sender == .server ? nil : (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        for _ in 0..<20 {
            let isText = Bool.random(using: &generator)
            let text = String(
                (0..<Int.random(in: 0...300, using: &generator)).map { _ in "aé€😀".randomElement(using: &generator)! })
            let content = Data(text.utf8)
            let isCompressed = deflater != nil && Bool.random(using: &generator)
            var payload = isCompressed ? try #require(try deflater?.compress(content)) : content
            var first: UInt8 = (isText ? 1 : 2) | (isCompressed ? 0x40 : 0)
            while Bool.random(using: &generator) {
                let size = Int.random(in: 0...payload.count, using: &generator)
                bytes += RawFrame(first: first, payload: Data(payload.prefix(size)), mask: mask()).bytes
                payload = Data(payload.dropFirst(size))
                first = 0
                if Bool.random(using: &generator) {
                    bytes += RawFrame(first: 0x89, payload: Data([1, 2]), mask: mask()).bytes
                    events.append(.ping(Data([1, 2])))
                }
            }
            bytes += RawFrame(first: first | 0x80, payload: payload, mask: mask()).bytes
            events.append(.message(isText ? .text(text) : .binary(content)))
        }
        return (bytes, events)
    }

    /// A million with `PATCHBAY_SEEDS=1000000`.
    private static let inputCount =
        ProcessInfo.processInfo.environment["PATCHBAY_SEEDS"].flatMap(Int.init) ?? 20_000

    @Test func `seeded inputs end in events or in a typed error`() throws {
        var generator = SeededGenerator(seed: 7)
        let firsts: [UInt8] = [0x81, 0x82, 0x01, 0x02, 0x00, 0x80, 0x88, 0x89, 0x8A, 0xC1, 0xC2, 0x41, 0xF1]
        var errors = 0
        for input in 0..<Self.inputCount {
            let role: WebSocketRole = input.isMultiple(of: 2) ? .client : .server
            var bytes = Data()
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let payload = Data(
                    (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                        UInt8.random(in: 0...255, using: &generator)
                    })
                let isMasked = role == .server ? generator.next() % 16 != 0 : generator.next() % 16 == 0
                bytes +=
                    RawFrame(
                        first: firsts[Int(generator.next() % UInt64(firsts.count))], payload: payload,
                        mask: isMasked ? [1, 2, 3, 4] : nil
                    ).bytes
            }
            if generator.next() % 4 == 0, !bytes.isEmpty {
                bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: generator.next())
            }
            let compression = input % 8 == 0 ? CompressionAgreement() : nil
            let decoded = try Decoded([bytes], role: role, limit: 4096, compression: compression)
            if let code = decoded.code {
                errors += 1
                #expect([.protocolViolation, .invalidText, .messageTooLarge].contains(code))
                #expect(decoded.closeCode?.isSendable == true)
            }
        }
        #expect(errors > Self.inputCount / 4)
    }
}
