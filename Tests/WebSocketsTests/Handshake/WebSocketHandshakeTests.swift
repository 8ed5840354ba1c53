import Foundation
import HTTPMessages
import PatchbayTestKit
import SystemLibraries
import Testing
import Transport

@testable import WebSockets

@Suite struct WebSocketHandshakeTests {
    private func handshake(_ options: WebSocketOptions = WebSocketOptions()) -> WebSocketHandshake {
        WebSocketHandshake(options)
    }

    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    private func head(_ fields: [String: String], status: HTTPStatus = HTTPStatus(101)!) throws -> HTTPResponseHead {
        var head = HTTPResponseHead(status: status, url: URL(string: "https://example.com/")!)
        for (name, value) in fields { try head.fields.set(name, to: value) }
        head.webSocketKey = Self.key
        return head
    }

    @Test func `the accept value is that of RFC 6455, section 1.3`() {
        #expect(WebSocketHandshake.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
    ]) func `SHA-1 gives the digests of FIPS 180`(text: String, digest: String) {
        #expect(MessageDigest.sha1(of: Array(text.utf8)) == [UInt8](hex(digest)))
    }

    @Test func `a request has the version, subprotocols and extensions, and leaves the key to the engine`() throws {
        let handshake = handshake(WebSocketOptions { $0.subprotocols = ["chat", "chat.v2"] })
        let request = try handshake.request(HTTPRequest(.get, "https://example.com/socket"))
        #expect(request.options.upgradeProtocol == "websocket")
        #expect(request.fields["Sec-WebSocket-Key"] == nil)
        #expect(request.fields["Sec-WebSocket-Version"] == "13")
        #expect(request.fields["Sec-WebSocket-Protocol"] == "chat, chat.v2")
        #expect(request.fields["Sec-WebSocket-Extensions"] == "permessage-deflate; client_max_window_bits")
        let plain = try self.handshake(WebSocketOptions { $0.compression = nil })
            .request(HTTPRequest(.get, "https://example.com/socket"))
        #expect(plain.fields["Sec-WebSocket-Extensions"] == nil)
    }

    @Test func `the limit of messages is not that of a refusal's body`() throws {
        var request = try HTTPRequest(.get, "https://example.com/")
        request.options.maximumResponseBytes = 2048
        let options = try handshake(WebSocketOptions { $0.maximumMessageBytes = 1024 }).request(request).options
        #expect(options.maximumResponseBytes == 2048 && options.maximumMessageBytes == 1024)
    }

    @Test func `an invalid request is refused before it is sent`() throws {
        #expect(throws: WebSocketError.self) { try handshake().request(HTTPRequest(.post, "https://example.com/")) }
        for name in ["", "bearer hunter2", "a,b", "bearer.hunter2="] {
            let error = #expect(throws: WebSocketError.self) {
                try handshake(WebSocketOptions { $0.subprotocols = ["chat", name] })
                    .request(HTTPRequest(.get, "https://example.com/"))
            }
            // A subprotocol may be a credential.
            #expect(error?.message.hasPrefix("Subprotocol at index 1 is not a token") == true)
            #expect(error?.message.contains("hunter2") == false)
        }
        var request = try HTTPRequest(.get, "https://example.com/")
        try request.fields.set("sec-websocket-key", to: "secret")
        #expect { try handshake().request(request) } throws: {
            ($0 as? WebSocketError)?.code == .invalidArgument && !"\($0)".contains("secret")
        }
    }

    @Test func `a response is checked`() throws {
        let handshake = handshake(WebSocketOptions { $0.subprotocols = ["chat"] })
        let accept = WebSocketHandshake.accept(for: Self.key)
        let valid = try handshake.agreement(
            head(["Sec-WebSocket-Accept": accept, "Sec-WebSocket-Protocol": "chat"]))
        #expect(valid.subprotocol == "chat" && valid.compression == nil)
        let compressed = try handshake.agreement(
            head(["Sec-WebSocket-Accept": accept, "Sec-WebSocket-Extensions": "permessage-deflate"]))
        #expect(compressed.compression == CompressionAgreement())
        for fields in [
            [:], ["Sec-WebSocket-Accept": "x"], ["Sec-WebSocket-Accept": accept, "Sec-WebSocket-Protocol": "other"],
            ["Sec-WebSocket-Accept": accept, "Sec-WebSocket-Extensions": "x-other"],
            ["Sec-WebSocket-Accept": accept, "Sec-WebSocket-Extensions": "permessage-deflate, permessage-deflate"],
            ["Sec-WebSocket-Accept": accept, "Sec-WebSocket-Extensions": ";"],
        ] {
            #expect { try handshake.agreement(head(fields)) } throws: {
                ($0 as? WebSocketError)?.code == .invalidHandshake
            }
        }
        var silent = try head(["Sec-WebSocket-Accept": accept])
        silent.webSocketKey = nil
        #expect { try handshake.agreement(silent) } throws: { "\($0)".contains("does not tell the key") }
        #expect { try handshake.agreement(head([:], status: .forbidden)) } throws: {
            let error = $0 as? WebSocketError
            return error?.code == .handshakeRefused && error?.status == .forbidden
                && error?.responseStatus == .forbidden
        }
    }

    @Test func `a server responds to a handshake, and refuses another request`() throws {
        let options = WebSocketOptions { $0.subprotocols = ["b", "a"] }
        var fields = try handshake(WebSocketOptions { $0.subprotocols = ["a", "b"] })
            .request(HTTPRequest(.get, "https://example.com/")).fields
        #expect(throws: WebSocketError.self) { try WebSocketHandshake.response(to: fields, options) }
        try fields.set("Upgrade", to: "WebSocket")
        #expect(throws: WebSocketError.self) { try WebSocketHandshake.response(to: fields, options) }
        try fields.set("Sec-WebSocket-Key", to: Self.key)
        let (response, agreement) = try WebSocketHandshake.response(to: fields, options)
        #expect(agreement.subprotocol == "b" && agreement.compression == CompressionAgreement())
        #expect(response.contains { $0.name == "Sec-WebSocket-Extensions" && $0.value == "permessage-deflate" })
    }

    @Test(arguments: [
        ("ws://example.com/a", "http://example.com/a"), ("WSS://example.com:8443/", "https://example.com:8443/"),
        ("https://example.com/", "https://example.com/"),
    ]) func `the URL of a socket is one of HTTP`(text: String, url: String) throws {
        #expect(try HTTPRequest(webSocket: text).url.absoluteString == url)
        #expect(throws: HTTPMessageError.self) { try HTTPRequest(webSocket: "ftp://example.com/") }
    }
}
