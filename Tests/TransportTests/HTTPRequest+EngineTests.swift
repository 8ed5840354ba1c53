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

    @Test func `the timeouts are validated before the features`() throws {
        var request = try HTTPRequest(.get, "https://example.com/a")
        request.options.timeouts.connect = .zero
        let error = #expect(throws: HTTPMessageError.self) { try request.checkForEngine() }
        #expect(error?.code == .invalidTimeout)
    }
}
