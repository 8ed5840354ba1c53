import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Testing
import Transport

@testable import Queueing

/// A wall clock time: Sun, 06 Nov 1994 08:49:37 GMT.
let someDate = Date(timeIntervalSince1970: 784_111_777)

func request(
    _ method: HTTPMethod = .get, _ url: String = "http://h/", fields: KeyValuePairs<String, String> = [:],
    body: HTTPBody = .empty, total: Duration? = nil, maximumAttempts: Int? = nil
) throws -> HTTPRequest {
    try HTTPRequest(
        method, url, fields: HTTPFields(fields), body: body,
        options: RequestOptions {
            $0.timeouts.total = total
            $0.maximumAttempts = maximumAttempts
        })
}

/// An attempt with a response.
func finished(
    _ request: HTTPRequest, _ status: HTTPStatus, fields: KeyValuePairs<String, String> = [:],
    previousAttempts: [TransportError.AttemptRecord] = []
) throws -> AttemptResult {
    let head = HTTPResponseHead(status: status, fields: try HTTPFields(fields), url: request.url)
    return AttemptResult(request, outcome: .response(head), previousAttempts: previousAttempts, date: someDate)
}

/// An attempt with an error.
func finished(
    _ request: HTTPRequest, _ error: TransportError, previousAttempts: [TransportError.AttemptRecord] = []
) -> AttemptResult {
    AttemptResult(request, outcome: .failure(error), previousAttempts: previousAttempts, date: someDate)
}

/// An attempt that a layer below refused to send.
func finished(_ request: HTTPRequest, _ error: AdmissionError) -> AttemptResult {
    AttemptResult(request, outcome: .rejection(error), date: someDate)
}

/// Records of failed attempts with these waits.
func records(backoffs delays: Duration...) -> [TransportError.AttemptRecord] {
    delays.map { TransportError.AttemptRecord(.status(.serviceUnavailable), backoff: $0) }
}

/// Counts its calls.
final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock(\.self) }
    /// The number of this call, from 1.
    @discardableResult
    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

/// The names of all codes, read from the source, so that no new one can be missing.
func namesOfTransportCodes() throws -> Set<String> {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let source = tests.appending(path: "../../Sources/Transport/TransportError.swift").standardizedFileURL
    let text = try String(contentsOf: source, encoding: .utf8)
    return Set(text.matches(of: /static var (\w+): Self \{ Self\(/).map { String($0.output.1) })
}

let admissionCodes: [AdmissionError.Code] = [
    .queueFull, .queueDraining, .dropped, .expired, .circuitOpen, .retryAfterTooLong,
]

let transportCodes: [TransportError.Code] = [
    .connectionRefused, .hostNotFound, .unreachable, .timedOut, .connectionLost, .truncated, .malformedResponse,
    .undecodableContent, .responseTooLarge, .tls, .proxy, .cancelled, .unreadableBody, .temporaryStorage,
    .reservedField, .tooManyRedirects, .redirectRefused, .unsupported, .unknown,
]
