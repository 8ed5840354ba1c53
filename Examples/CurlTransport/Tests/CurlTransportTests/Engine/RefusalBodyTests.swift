import Foundation
import HTTPMessages
import Testing

@testable import CurlTransport

@Suite struct RefusalBodyTests {
    @Test(arguments: [1, 2, 3, 7, 1000]) func `chunks arrive in pieces of any size`(size: Int) throws {
        let bytes = Data("3\r\nno \r\n5;a=b\r\nway!\n\r\n0\r\nX: y\r\n\r\n".utf8)
        var body = RefusalBody(hasBody: true, .chunked)
        for start in stride(from: 0, to: bytes.count, by: size) {
            #expect(!body.isComplete)
            try body.append(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(body.isComplete && body.bytes == Data("no way!\n".utf8))
    }

    @Test func `lines without an end and trailers without an end fail`() throws {
        var line = RefusalBody(hasBody: true, .chunked)
        #expect(throws: RefusalBody.Invalid.self) { try line.append(Data(repeating: 0x30, count: 9000)) }
        var trailers = RefusalBody(hasBody: true, .chunked)
        try trailers.append(Data("0\r\n".utf8))
        #expect(throws: RefusalBody.Invalid.self) {
            for _ in 0..<1000 { try trailers.append(Data("X: \(String(repeating: "y", count: 1000))\r\n".utf8)) }
        }
    }

    @Test func `received bytes are read by lines and by counts`() {
        var received = ReceivedBytes()
        received.append(Data("one\ntw".utf8))
        #expect(received.readLine() == Data("one\n".utf8))
        #expect(received.readLine() == nil)
        received.append(Data("o\n\nrest\n".utf8))
        #expect(received.readLine() == Data("two\n".utf8))
        #expect(received.readLine() == Data("\n".utf8))
        #expect(received.count == 5 && received.read(atMost: 2) == Data("re".utf8))
        #expect(received.readLine() == Data("st\n".utf8))
        #expect(received.count == 0 && received.read(atMost: .max).isEmpty)
    }
}
