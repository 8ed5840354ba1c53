import Akula
import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

/// A response body with status and Content-Type, for handler tests.
struct Payload: Sendable, CustomDebugStringConvertible {
    var status = 200
    var type: String?
    let bytes: [UInt8]

    init(_ text: String, _ status: Int = 200, type: String? = nil) {
        self.init(bytes: Array(text.utf8), status, type: type)
    }
    init(bytes: [UInt8], _ status: Int = 200, type: String? = nil) {
        self.status = status
        self.type = type
        self.bytes = bytes
    }

    // Also used inside tuples, where `CustomTestStringConvertible` is not.
    var debugDescription: String { "\(status) \(type ?? "no type"), \(bytes.count) bytes" }

    /// Returns the callbacks of a handler for this response.
    func events(
        _ route: Route, _ handler: @escaping (EventLog) -> any AKHTTPResponseDelegate
    ) async throws -> [String] {
        let log = EventLog()
        try await Fixture.run(route) { fixture in
            await fixture.agent.get("/x", delegate: handler(log)).wait()
        } respond: { request in
            var fields = HTTPFields()
            if let type { try fields.set(.contentType, to: type) }
            // On Linux URLSession drops the body of a redirect without Location.
            if (300..<400).contains(status) { try fields.set(.location, to: "/elsewhere") }
            return request.response(HTTPStatus(status) ?? .ok, fields: fields, body: Data(bytes))
        }
        return log.events
    }
}

@Suite(.needsSlot) struct TextHandlerTests {
    private static let gruesse: [UInt8] = [0x47, 0x72, 0xFC, 0xDF, 0x65]

    @Test(
        arguments: [
            (Payload("plain"), "plain"), (Payload(""), ""), (Payload("", 204), ""),
            (Payload("Привет 👋", type: "text/plain"), "Привет 👋"),
            (Payload(bytes: gruesse, type: "text/plain; charset=iso-8859-1"), "Grüße"),
            (Payload(bytes: [0x80, 0x20, 0x31], type: "text/plain; charset=\"windows-1252\""), "€ 1"),
            (Payload(bytes: [0xCF, 0xF0, 0xE8], type: "text/plain; charset=windows-1251"), "При"),
            (Payload(bytes: [0xFF, 0xFE, 0x41, 0x00], type: "text/plain; charset=utf-16"), "A"),
            (Payload("{\"a\": 1}", type: "application/json"), "{\"a\": 1}"),
            (Payload("Grüße", type: "text/plain; charset=klingon"), "Grüße"),
            (Payload("text", type: "rubbish"), "text"),
            // Invalid bytes.
            (Payload(bytes: [0x61, 0xFF, 0x62], type: "text/plain; charset=utf-8"), "a\u{FFFD}b"),
            (Payload(bytes: [0xFF, 0xFE, 0x41, 0, 0, 0xD8], type: "text/plain; charset=utf-16"), "A\u{FFFD}"),
            (Payload(bytes: gruesse), "Gr\u{FFFD}\u{FFFD}e"),
        ], Route.allCases)
    func `Akula 6: success text is decoded with its charset, else UTF-8`(
        row: (payload: Payload, text: String), route: Route
    ) async throws {
        #expect(
            try await row.payload.events(route, Handlers.text) == ["success \(row.payload.status) \(row.text)", "done"])
    }

    @Test(
        arguments: [
            (Payload("no such endpoint", 404), "no such endpoint"), (Payload("", 500), ""),
            (Payload("moved", 302), "moved"),
            (Payload(bytes: gruesse, 503, type: "text/plain; charset=iso-8859-1"), "Grüße"),
            (Payload(bytes: [0xFF], 500), "\u{FFFD}"),
        ], Route.allCases)
    func `Akula 6: a failure has its text and its status`(row: (payload: Payload, text: String), route: Route)
        async throws
    {
        #expect(
            try await row.payload.events(route, Handlers.text)
                == ["failure status \(row.payload.status) \(row.text)", "done"])
    }

    @Test func `Akula 6: without a response the text is nil`() async throws {
        let log = EventLog()
        let agent = ServerAgent(transport: unreachableTransport, scope: AKAppScope())
        agent.delivery = .inline
        await agent.get("/x", delegate: Handlers.text(log)).wait()
        #expect(log.events == ["failure configuration - nil", "done"])
    }

    @Test func `Akula 6: the response of a blocking call has its text`() async throws {
        try await Fixture.run { fixture in
            let response = try blocking { try fixture.agent.getSync("/x") }
            #expect(response.text == "Grüße")
        } respond: { request in
            let fields = try HTTPFields(["Content-Type": "text/plain; charset=latin1"])
            return request.response(fields: fields, body: Data(Self.gruesse))
        }
    }
}
