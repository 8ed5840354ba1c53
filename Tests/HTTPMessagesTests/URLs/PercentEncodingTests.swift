import Foundation
import HTTPMessages
import Testing

@Suite struct PercentEncodingTests {
    private func encoded(_ text: String) throws -> String {
        var bytes: [UInt8] = []
        try bytes.append(pathAndQuery: text[...].utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("/ä", "/%C3%A4"), ("/a b?c d", "/a%20b?c%20d"), (" ", "%20"), ("/%20ä", "/%20%C3%A4"), ("/100%", "/100%25"),
        ("/%4", "/%254"),
        ("/a?x[]=1|2", "/a?x%5B%5D=1%7C2"),
        ("/\\\"<>^`{}", "/%5C%22%3C%3E%5E%60%7B%7D"), ("/a#b", "/a"), ("/?a?#b", "/?a?"), ("", ""),
    ])
    func `encodes invalid characters once`(text: String, target: String) throws {
        #expect(try encoded(text) == target)
        #expect(try encoded(target) == target)
        // Foundation encodes nothing again.
        #expect(URL(string: "http://h" + target)?.absoluteString == "http://h" + target)
    }

    @Test func `reports a query`() throws {
        var bytes: [UInt8] = []
        #expect(try !bytes.append(pathAndQuery: "/a#?"[...].utf8))
        #expect(try bytes.append(pathAndQuery: "/a?"[...].utf8))
    }

    @Test(arguments: ["/a\r\nX: y", "/?a\t", "/\0", "/\u{1F}", "/\u{7F}"])
    func `rejects control characters`(text: String) {
        let error = #expect(throws: HTTPMessageError.self) { try encoded(text) }
        #expect(error?.code == .invalidURL)
    }

    @Test func `decodes digits of either case`() {
        #expect("aFx".utf8.escapedByte == 0xAF && "09".utf8.escapedByte == 9)
        for text in ["", "a", "g0", "0g", "%1"] { #expect(text.utf8.escapedByte == nil, "\(text)") }
    }

    @Test func `every byte round trips`() {
        for byte in UInt8.min...UInt8.max {
            var bytes: [UInt8] = []
            bytes.append(percentEncoded: byte)
            #expect(bytes.count == 3 && bytes.first == UInt8(ascii: "%"))
            #expect(bytes.dropFirst().escapedByte == byte)
        }
    }
}
