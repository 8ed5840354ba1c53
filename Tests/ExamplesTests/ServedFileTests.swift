import ExampleSupport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct ServedFileTests {
    private func send(range: String?) async throws -> HTTPResponse {
        let file = ServedFile(Data("plate".utf8))
        return try await LoopbackServer { request in file.script(for: request) }.stopping { server in
            var request = try HTTPRequest(.get, server.url(of: "/"))
            request.fields[.range] = range
            return try await URLSessionTransport.shared.send(request)
        }
    }

    @Test(
        arguments: [
            (nil, .ok, "plate", nil), ("bytes=2-", .partialContent, "ate", "bytes 2-4/5"),
            ("bytes=5-", .rangeNotSatisfiable, "", "bytes */5"), ("lines=1-", .ok, "plate", nil),
        ] as [(String?, HTTPStatus, String, String?)])
    func `a response continues at a byte, and announces the end of its connection`(
        range: String?, status: HTTPStatus, body: String, contentRange: String?
    ) async throws {
        let response = try await send(range: range)
        #expect(response.status == status && response.body == Data(body.utf8))
        #expect(response.fields[.contentRange] == contentRange && response.fields[.connection] == "close")
    }
}
