import Akula
import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing

@Suite struct StatusMessageTests {
    private static let tail = String(repeating: "ä", count: 300)

    static let rows: [(type: String?, body: String, message: String)] = [
        ("text/plain", "Disk full", ": 500 Internal Server Error: Disk full"),
        (nil, "Disk full", ": 500 Internal Server Error: Disk full"),
        ("text/plain", "", ": 500 Internal Server Error"), ("text/plain", " \r\n\t", ": 500 Internal Server Error"),
        ("text/html", "<p>\r\n  Disk\u{7} full</p>\n", ": 500 Internal Server Error: <p> Disk full</p>"),
        ("text/plain; charset=utf-8", tail, ": 500 Internal Server Error: " + tail.prefix(200) + "…"),
        ("application/json", #"{"error": "Disk full"}"#, #": 500 Internal Server Error: {"error": "Disk full"}"#),
        ("application/json", #"{"code": 7}"#, #": 500 Internal Server Error: {"code": 7}"#),
        ("text/plain", #"[{"api_key": "hush"}]"#, #": 500 Internal Server Error: [{"api_key": <redacted>}]"#),
        ("application/json", #"{"token": "hush"#, #": 500 Internal Server Error: {"token": <redacted>"#),
        ("application/octet-stream", "\u{0}hush", ": 500 Internal Server Error"),
        ("application/x-www-form-urlencoded", "password=hush", ": 500 Internal Server Error: password=<redacted>"),
        (
            "application/json", #"{"code": "E7", "description": "Disk full"}"#,
            ": 500 Internal Server Error: Disk full (code E7)"
        ),
    ]

    @Test(arguments: rows)
    func `the message has the request, the status, and the server's text or the start of the body`(
        row: (type: String?, body: String, message: String)
    ) async throws {
        try await Fixture.run(.memory) { fixture in
            let data = AKHTTPRequestData()
            data.addQueryParameter("password", value: "hush")
            let thrown = await #expect(throws: AKError.self) {
                try await fixture.agent.put("/items", requestData: data)
            }
            #expect(thrown?.message == "PUT \(fixture.base)/items?password=<redacted>" + row.message)
            let bridged = thrown.map { $0 as NSError }
            #expect(bridged?.localizedDescription == thrown?.description)
        } respond: { request in
            var fields = HTTPFields()
            if let type = row.type { try fields.set(.contentType, to: type) }
            return request.response(.internalServerError, fields: fields, body: Data(row.body.utf8))
        }
    }
}
