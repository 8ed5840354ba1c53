import Foundation
import Patchbay
import PatchbayTestKit
import TestSupport
import Testing

@Suite(.needsSlot) struct ServerErrorTests {
    private struct Fault: Codable, Sendable {
        var reason: String
    }

    private func error<Body>(
        _ errors: ErrorDecoding, _ body: String, status: HTTPStatus = .conflict, as type: ServerError<Body>.Type
    ) async throws -> ServerError<Body> {
        let client = try APIClient("https://example.com", over: ScriptedTransport([.text(body, status: status)])) {
            $0.errors = errors
            $0.maximumErrorBytes = 40
        }
        let error = await #expect(throws: type) { try await client.get("items", query: ["token": "hush"]) }
        return try #require(error)
    }

    @Test func `9: the body is decoded, and the error says what the server says`() async throws {
        let error = try await error(.json(Fault.self), #"{"reason":"sold out"}"#, as: ServerError<Fault>.self)
        #expect(error.body?.reason == "sold out" && error.status == .conflict && error.httpStatus == .conflict)
        #expect(error.code.number == 409 && (error as NSError).domain == "Patchbay.ServerError")
        #expect("\(error)".hasPrefix("GET https://example.com/items?token=<redacted>: 409 Conflict: "))
        #expect("\(error)".contains("sold out") && !"\(error)".contains("hush"))
    }

    @Test(arguments: [ErrorDecoding.jsonValue, .json(Fault.self), .problemDetails])
    func `9: an error with a response is caught without the type of its body`(errors: ErrorDecoding) async throws {
        let conflict = ScriptedTransport.Step.response(
            .conflict, fields: ["X-Request-Id": "7"], body: Data("no".utf8))
        let steps = [conflict, .text("no JSON")]
        let client = try APIClient("https://example.com", over: ScriptedTransport(steps)) { $0.errors = errors }
        var seen: [String] = []
        for _ in steps {
            do {
                let _: Fault = try await client.get("a")
            } catch let error as any HTTPStatusError {
                #expect(error.httpStatus == error.status)
                seen.append("\(error.status.code) \(error.head.fields["X-Request-Id"] ?? "-") \(error.bytes.count)")
            }
        }
        #expect(seen == ["409 7 2", "200 - 7"])
    }

    @Test func `9: each error that came with a response has its status`() throws {
        let head = HTTPResponseHead(status: .forbidden, url: try #require(URL(string: "https://example.com/a")))
        let errors: [any Error] = [
            TransportError(.truncated, "m", head: head), DownloadError(.unacceptableStatus, "m", head: head),
            UploadError(.unacceptableStatus, "m", head: head), AdmissionError(.retryAfterTooLong, "m", head: head),
            AuthenticationError(.refused, "m", head: head),
            EventSourceError(.unacceptableStatus, "m", status: .forbidden), SigningError(.invalidKey, "m", head: head),
            SignInError(.invalidMetadata, "m", underlying: AuthenticationError(.refused, "m", head: head)),
            AuthenticationError(.signInRequired, "m", underlying: TransportError(.truncated, "m", head: head)),
        ]
        for error in errors { #expect(error.httpStatus == .forbidden, "\(type(of: error))") }
        #expect(TransportError(.connectionLost, "m").httpStatus == nil && CancellationError().httpStatus == nil)
    }

    @Test(arguments: ["not JSON", #"{"other":1}"#, ""])
    func `9: a body that does not fit is still a server error, with the bytes`(body: String) async throws {
        let error = try await error(.json(Fault.self), body, as: ServerError<Fault>.self)
        #expect(error.body == nil && error.bytes == Data(body.utf8))
        #expect((error.underlying == nil) == body.isEmpty)
    }

    @Test func `9: problem details are the text of the error`() async throws {
        let fields = try HTTPFields(["Content-Type": "application/problem+json"])
        let body = Data(#"{"type":"/sold-out","title":"Sold out","detail":"No tea is left.","left":0}"#.utf8)
        let transport = ScriptedTransport([.response(.conflict, fields: fields, body: body)], then: .status(.notFound))
        let client = try APIClient("https://example.com", over: transport) { $0.errors = .problemDetails }
        let error = await #expect(throws: ServerError<Problem>.self) { try await client.get("a") }
        #expect(error?.message == "409 Conflict: Sold out: No tea is left." && error?.body?["left"] == 0)
        let other = await #expect(throws: ServerError<Problem>.self) { try await client.get("a") }
        #expect(other?.body == nil && other?.message == "404 Not Found")
    }

    @Test func `9: an error body may have settings of its own`() async throws {
        struct Coded: Codable, Sendable { var errorCode: Int }
        let errors = ErrorDecoding.json(Coded.self, coding: JSONCoding { $0.keys = .snakeCase })
        #expect(try await error(errors, #"{"error_code":7}"#, as: ServerError<Coded>.self).body?.errorCode == 7)
    }

    @Test func `9: the bytes are limited`() async throws {
        let error = try await error(.jsonValue, String(repeating: "x", count: 100), as: ServerError<JSONValue>.self)
        #expect(error.bytes.count == 40 && error.body == nil)
    }

    @Test func `9: a decoding may be for some statuses`() async throws {
        let errors = ErrorDecoding.json(Fault.self).for(409..<410, otherwise: .jsonValue)
        let body = #"{"reason":"x"}"#
        #expect(try await error(errors, body, as: ServerError<Fault>.self).body?.reason == "x")
        let other = try await error(errors, body, status: .badRequest, as: ServerError<JSONValue>.self)
        #expect(other.body?["reason"] == "x")
    }

    @Test func `16: the error of a retried call has the number of attempts`() async throws {
        let transport = ScriptedTransport([], then: .status(.serviceUnavailable))
        let clock = ManualClock()
        let client = try APIClient("https://example.com", over: .standard(over: transport, clock: clock))
        let error = await #expect(throws: ServerError<JSONValue>.self) {
            try await clock.autoAdvancing { try await client.get("a") }
        }
        #expect(error?.attempts.count == 2 && transport.requests.count == 3)
        #expect(error?.message == "503 Service Unavailable; after 3 attempts")
    }

    @Test func `16: a 401 to a request that got no credential says why`() async throws {
        let transport = ScriptedTransport([], then: .status(.unauthorized))
        let tokens = try BearerAuthorizer(token: "hush")
        let client = try APIClient(
            "https://example.com",
            over: Stack(over: transport).authorizing(with: tokens, at: try AllowedOrigins("https://api.example.com")))
        let error = await #expect(throws: ServerError<JSONValue>.self) { try await client.get("a") }
        #expect(
            error?.message
                == "401 Unauthorized; no credential was sent to https://example.com:443: allowed is https://api.example.com:443"
        )
        #expect(transport.requests.allSatisfy { $0.fields[.authorization] == nil })
    }

    @Test func `15: a status is compared with a number, and a code is matched in a catch`() async throws {
        let client = try APIClient(
            "https://example.com", over: ScriptedTransport([.failure(.timedOut)], then: .status(.ok)))
        do {
            try await client.get("a")
            Issue.record("The call must fail.")
        } catch TransportError.Code.connectionLost {
            Issue.record("Another code.")
        } catch TransportError.Code.timedOut {}
        let status = try await client.get("a").status
        #expect(status == 200 && status != 404)
        switch status {
        case 404: Issue.record("Another status.")
        case 200..<300: break
        default: Issue.record("Another status.")
        }
    }

    @Test func `15: any error tells whether it is a cancellation, and its status`() async throws {
        let transport = ScriptedTransport([], then: .never)
        let client = try APIClient("https://example.com", over: transport)
        let call = Task { try await client.get("a") }
        try await transport.requests(count: 1)
        call.cancel()
        let error = await #expect(throws: (any Error).self) { try await call.value }
        #expect(error?.isCancellation == true && error?.httpStatus == nil)
        #expect(CancellationError().isCancellation && !AdmissionError(.queueFull, "").isCancellation)
    }
}
