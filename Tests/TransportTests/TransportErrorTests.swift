import Foundation
import HTTPMessages
import Testing

@testable import Transport

@Suite struct TransportErrorTests {
    private func error() throws -> TransportError {
        let request = try HTTPRequest(
            .post, "http://host/path?token=s3cret&page=2#s3cret",
            fields: HTTPFields(["Authorization": "s3cret", "X-Page": "s3cret"]),
            body: .text("s3cret"))
        let head = HTTPResponseHead(
            status: .ok, fields: try HTTPFields(["Set-Cookie": "s3cret"]), url: request.url)
        return TransportError(
            .timedOut, "It took too long.", request: request, phase: .idle, head: head,
            bodyPrefix: Data("s3cret".utf8), underlying: URLError(.badURL))
    }

    @Test func `all textual forms contain the failure and no secrets`() throws {
        let error = try error()
        var dumped = ""
        dump(error, to: &dumped)
        let forms = [
            "\(error)", error.description, String(reflecting: error), dumped, "\(error as any Error)",
            String(describing: Optional(error)), "\([error])", error.localizedDescription, error.request ?? "",
        ]
        for form in forms { #expect(!form.contains("s3cret"), "\(form)") }
        #expect("\(error)" == "POST http://host/path?token=<redacted>&page=2: It took too long. [timedOut]")
        #expect(dumped.contains("It took too long."))
    }

    @Test func `keeps at most 1 KiB of the body`() {
        let error = TransportError(.truncated, "x", bodyPrefix: Data(count: 5000)[1000...])
        #expect(error.bodyPrefix.count == 1024 && error.bodyPrefix.startIndex == 0)
        #expect("\(error)" == "x [truncated]")
    }

    @Test func `codes are distinct and named as their static members`() {
        let codes: [TransportError.Code] = [
            .connectionRefused, .hostNotFound, .unreachable, .timedOut, .connectionLost, .truncated, .malformedResponse,
            .undecodableContent, .responseTooLarge, .tls, .proxy, .cancelled, .unreadableBody, .reservedField,
            .tooManyRedirects, .redirectRefused, .unsupported, .unknown,
        ]
        #expect(Set(codes).count == codes.count && Set(codes.map(\.description)).count == codes.count)
        #expect("\(TransportError.Code.connectionLost)" == "connectionLost")
    }
}
