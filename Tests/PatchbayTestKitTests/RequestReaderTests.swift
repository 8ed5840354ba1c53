import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import PatchbayTestKit

/// A byte source that returns pieces of a fixed size.
private final class Pieces: ByteSource {
    private var rest: ArraySlice<UInt8>
    private let size: Int

    init(_ text: String, size: Int) {
        rest = Array(text.utf8)[...]
        self.size = size
    }

    func read(into memory: UnsafeMutableRawBufferPointer) throws(ConnectionLost) -> Int {
        let piece = rest.prefix(min(size, memory.count))
        rest = rest.dropFirst(piece.count)
        memory.copyBytes(from: piece)
        return piece.count
    }
}

@Suite(.needsSlot) struct RequestReaderTests {
    private func read(_ text: String, size: Int = .max, limits: LoopbackServer.Limits = .init()) throws -> [String] {
        var reader = RequestReader(source: Pieces(text, size: size), limits: limits)
        var requests: [String] = []
        while let (head, _) = try reader.readHead() {
            let body = try reader.readBody(head.framing).bytes
            requests.append("\(head.method) \(head.target) \(String(decoding: body, as: UTF8.self))")
        }
        return requests
    }

    private static let stream =
        "\r\nPOST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "3;x=\"y\"\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nT: v\r\n\r\n"
        + "GET /b HTTP/1.1\r\nHost: h\r\n\r\nPUT /c HTTP/1.0\r\nContent-Length: 5, 5\r\n\r\nhello"

    @Test func `parses the same requests for any split of the bytes`() throws {
        for size in Array(1...40) + [200, 10_000] {
            let requests = try read(Self.stream, size: size)
            #expect(
                requests == ["POST /a abc0123456789abcdef", "GET /b ", "PUT /c hello"], "in pieces of \(size) bytes")
        }
    }

    @Test func `a truncated stream is a lost connection`() throws {
        let requests = ["POST /a abc0123456789abcdef", "GET /b ", "PUT /c hello"]
        for length in 0..<Self.stream.utf8.count {
            let start = String(decoding: Self.stream.utf8.prefix(length), as: UTF8.self)
            do {
                let whole = try read(start)
                #expect(requests.starts(with: whole), "\(length)")
            } catch {
                #expect(error is ConnectionLost, "\(length): \(error)")
            }
        }
    }

    @Test func `grows its buffer for long heads and bodies`() throws {
        let value = String(repeating: "v", count: 60_000)
        let body = String(repeating: "b", count: 300_000)
        let text = "POST /\(value) HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\n\(body)"
        #expect(try read(text + text, size: 7_000) == Array(repeating: "POST /\(value) \(body)", count: 2))
    }

    @Test(
        arguments: [
            ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            (" / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET /ä HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505), ("GET / http/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n", 400), ("GET / HTTP/1.1\nHost: a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 2\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9223372036854775807\r\n\r\n", 413),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n", 501),
            ("PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n", 417),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 400),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\nab\r\n", 400),
        ] as [(String, Int)])
    func `refuses malformed requests`(text: String, status: Int) {
        for size in [1, 3, .max] {
            let refusal = #expect(throws: Refusal.self) { try read(text, size: size) }
            #expect(refusal?.status.code == status)
        }
    }

    @Test func `endless lines are refused at the limit`() {
        let limits = LoopbackServer.Limits(head: 100)
        let head = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        for (text, status) in [
            (String(repeating: "a", count: 5000), 431), (head + "1;" + String(repeating: "a", count: 5000), 400),
            (head + "0\r\n" + String(repeating: "T: v\r\n", count: 500), 400),
        ] {
            for size in [1, 64, .max] {
                let refusal = #expect(throws: Refusal.self) { try read(text, size: size, limits: limits) }
                #expect(refusal?.status.code == status)
            }
        }
    }

    @Test func `random bytes give a request, a refusal or a lost connection`() {
        var generator = SeededGenerator(seed: 7)
        let pieces = [
            "GET ", "POST ", "/", " HTTP/1.1", "\r\n", "\r", "\n", "Host: a\r\n", "Content-Length: 3\r\n", ":", "0",
            "Transfer-Encoding: chunked\r\n", "\r\n\r\n", "3\r\nabc\r\n", ";", "\u{0}", "ff", "é", "-", " ",
        ]
        for _ in 0..<5_000 {
            let count = Int.random(in: 1...30, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            do {
                _ = try read(text, size: Int.random(in: 1...20, using: &generator))
            } catch {
                #expect(error is Refusal || error is ConnectionLost)
            }
        }
    }
}
