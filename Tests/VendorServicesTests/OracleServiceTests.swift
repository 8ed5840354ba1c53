import Foundation
import HTTPMessages
import PatchbayTestKit
import RequestModel
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct OracleServiceTests {
    private let service = OracleService()

    private func perform(
        _ method: HTTPMethod, _ path: String, _ body: HTTPBody = .empty, coding: String? = nil
    ) async throws -> (status: Int, json: JSONValue) {
        var fields = HTTPFields()
        if let coding { try fields.set(.contentEncoding, to: coding) }
        let request = try HTTPRequest(method, "http://oracle.test" + path, fields: fields, body: body)
        let response = try await service.respond(to: request)
        return (response.status.code, (try? JSONValue(parsing: response.body)) ?? .null)
    }

    @Test func `events are collected with the static values of their request, with and without gzip`()
        async throws
    {
        let call = #"{"static":{"app":"a"},"events":[{"timestamp":"1","name":"x"},{"timestamp":"2","app":"b"}]}"#
        try await #expect(perform(.post, "/v3/acc", .text(call)).json == ["accepted": 2])
        let coded = try ContentCoding.gzip.encode(.text(#"{"events":[{"timestamp":"3"}]}"#))
        try await #expect(perform(.post, "/v3/acc", coded, coding: "gzip").json == ["accepted": 1])
        #expect(
            service.events(of: "acc") == [
                ["app": "a", "timestamp": "1", "name": "x"], ["app": "b", "timestamp": "2"], ["timestamp": "3"],
            ])
        #expect(service.events(of: "other") == [])
    }

    @Test(arguments: [
        ("", 400), ("x", 400), ("[]", 400), ("{}", 400), (#"{"events":[]}"#, 400),
        (#"{"events":[{"a":"b"}]}"#, 400),
        (#"{"events":[{"timestamp":1}]}"#, 400), (#"{"static":{},"events":[{"timestamp":"1"}]}"#, 400),
        (#"{"static":[],"events":[{"timestamp":"1"}]}"#, 400),
        (#"{"events":[{"timestamp":"\#(String(repeating: "x", count: 513))"}]}"#, 400),
        (String(repeating: " ", count: 4097), 413),
    ])
    func `invalid event requests are refused`(body: String, status: Int) async throws {
        let response = try await perform(.post, "/v3/acc", .text(body))
        #expect(response.status == status)
        #expect(response.json["error"]?.string?.isEmpty == false)
        #expect(service.events(of: "acc") == [])
    }

    @Test func `unknown content codings and invalid gzip are refused`() async throws {
        try await #expect(perform(.post, "/v3/acc", .text("{}"), coding: "br").status == 415)
        try await #expect(perform(.post, "/v3/acc", .text("{}"), coding: "gzip").status == 400)
    }

    @Test func `a compressed body is decompressed only up to the limit`() async throws {
        let events = #"{"events":[{"timestamp":"1"}]}"#
        for (count, status) in [(4096, 200), (4097, 413)] {
            let text = events + String(repeating: " ", count: count - events.utf8.count)
            let coded = try ContentCoding.gzip.encode(.text(text))
            try await #expect(perform(.post, "/v3/acc", coded, coding: "gzip").status == status)
        }
        let large = try await ContentCoding.gzip.encode(.bytes(Data(count: 10_000_000))).collect()
        // The missing end would be an error, if the service decompressed that far.
        let half = HTTPBody.bytes(large.prefix(large.count / 2))
        try await #expect(perform(.post, "/v3/acc", half, coding: "gzip").status == 413)
    }

    @Test func `echo returns the request`() async throws {
        let response = try await perform(.post, "/echo?a=%C3%A4&b=", .text(#"{"x":1}"#), coding: "identity").json
        #expect(response["method"] == "POST" && response["query"] == ["a": "ä", "b": ""])
        #expect(response["headers"] == ["content-encoding": "identity"] && response["body"] == ["x": 1])
        try await #expect(perform(.get, "/echo").json["body"] == "")
    }

    @Test func `unstable fails the set number of times`() async throws {
        let unstable = OracleService(failures: 2)
        var statuses: [Int] = []
        for _ in 0..<4 {
            let request = try HTTPRequest(.get, "http://oracle.test/unstable")
            statuses.append(try await unstable.respond(to: request).status.code)
        }
        #expect(statuses == [503, 503, 200, 200])
    }

    @Test func `unknown paths give 404, other methods 405`() async throws {
        for path in ["/", "/v3", "/v3/a/b", "/nothing", "/echo/x"] {
            try await #expect(perform(.get, path).status == 404, "\(path)")
        }
        try await #expect(perform(.get, "/v3/acc").status == 405)
        try await #expect(perform(.put, "/echo").status == 405)
        try await #expect(perform(.post, "/slow").status == 405)
    }

    @Test func `a slow request ends only by cancellation`() async throws {
        let request = try HTTPRequest(.get, "http://oracle.test/slow")
        let task = Task { [service] in try await service.respond(to: request) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
