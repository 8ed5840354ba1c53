import Testing

@testable import WebSockets

@Suite struct CompressionAgreementTests {
    private func response(_ text: String, to options: WebSocketCompression) -> CompressionAgreement? {
        WebSocketExtension.parse([text])?.first.flatMap { CompressionAgreement(response: $0, to: options) }
    }

    @Test func `an offer says what differs from the defaults`() {
        #expect(CompressionAgreement.offer(.init()).text == "permessage-deflate; client_max_window_bits")
        let options = WebSocketCompression(
            serverContextTakeover: false, clientContextTakeover: false, serverWindowBits: 10, clientWindowBits: 11)
        #expect(
            CompressionAgreement.offer(options).text
                == "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
                + "server_max_window_bits=10; client_max_window_bits=11")
    }

    @Test(arguments: [
        "permessage-deflate; server_max_window_bits=7", "permessage-deflate; server_max_window_bits=16",
        "permessage-deflate; server_max_window_bits=08", "permessage-deflate; server_max_window_bits",
        "permessage-deflate; client_max_window_bits", "permessage-deflate; unknown",
        "permessage-deflate; server_no_context_takeover=1",
        "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
    ]) func `a response that does not correspond to the offer is refused`(text: String) {
        #expect(response(text, to: .init()) == nil)
    }

    @Test func `a response has to accept what was asked for`() {
        let options = WebSocketCompression(serverContextTakeover: false, serverWindowBits: 10)
        #expect(response("permessage-deflate", to: options) == nil)
        #expect(response("permessage-deflate; server_no_context_takeover", to: options) == nil)
        let agreement = response(
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=\"9\"; client_max_window_bits=8",
            to: options)
        #expect(agreement?.serverWindowBits == 9 && agreement?.clientWindowBits == 8)
        #expect(agreement?.serverContextTakeover == false && agreement?.clientContextTakeover == true)
    }

    @Test func `a window that zlib lacks sends without compression`() throws {
        var agreement = CompressionAgreement()
        agreement.clientWindowBits = 8
        #expect(try agreement.deflater(for: .client, minimumBytes: 0) == nil)
        #expect(try agreement.deflater(for: .server, minimumBytes: 0) != nil)
    }

    @Test func `a server accepts the first valid offer, and declines the others`() throws {
        let offers = try #require(
            WebSocketExtension.parse([
                "x-other, permessage-deflate; server_max_window_bits=8", "permessage-deflate; client_max_window_bits",
            ]))
        let accepted = try #require(CompressionAgreement.accept(offers, .init()))
        #expect(accepted.response.text == "permessage-deflate" && accepted.agreement == CompressionAgreement())
        #expect(CompressionAgreement.accept([], .init()) == nil)
    }

    @Test(arguments: ["permessage-deflate; ", "permessage-deflate;;x", "a b", "\"a\"", "a; b=\"c d\"", "a; b=", "="])
    func `a malformed list of extensions is refused`(text: String) {
        #expect(WebSocketExtension.parse([text]) == nil)
    }

    @Test func `a list may have empty elements and several fields`() {
        #expect(WebSocketExtension.parse([", a ;b = \"c\" ,", "d"])?.map(\.text) == ["a; b=c", "d"])
        #expect(WebSocketExtension.parse([]) == [])
    }
}
