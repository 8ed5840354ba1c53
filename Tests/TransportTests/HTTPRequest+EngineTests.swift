import HTTPMessages
import Testing
import Transport

@Suite struct HTTPRequestEngineTests {
    @Test func `an engine that does not see connecting refuses a timeout for it`() throws {
        var request = try HTTPRequest(.get, "https://example.com/a")
        try request.checkForEngine()
        request.options.timeouts.connect = .seconds(1)
        let error = #expect(throws: TransportError.self) { try request.checkForEngine() }
        #expect(error?.code == .unsupported && error?.message.contains("timeouts.connect") == true)
        try request.checkForEngine { $0 == .connectTimeout }
        #expect(throws: TransportError.self) { try request.checkForEngine { $0 == .unixSockets } }
    }

    @Test(arguments: [
        ("websocket", "This engine has no WebSockets, as URLSession on Linux has none; use `CurlTransport`."),
        (
            "echo",
            "This engine does not support the request option `upgradeProtocol`; remove it, or use another engine such "
                + "as `CurlTransport`."
        ),
    ])
    func `an engine without upgrades says what it does not have`(name: String, message: String) throws {
        var request = try HTTPRequest(.get, "https://example.com/a")
        request.options.upgradeProtocol = name
        let error = #expect(throws: TransportError.self) { try request.checkForEngine() }
        #expect(error?.code == .unsupported && error?.message == message)
        try request.checkForEngine { $0 == .upgrades }
    }

    @Test func `the timeouts are validated before the features`() throws {
        var request = try HTTPRequest(.get, "https://example.com/a")
        request.options.timeouts.connect = .zero
        let error = #expect(throws: HTTPMessageError.self) { try request.checkForEngine() }
        #expect(error?.code == .invalidTimeout)
    }
}
