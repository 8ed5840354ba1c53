import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import Testing
import Transport

@testable import Queueing

/// A moment by the wall clock: Sun, 06 Nov 1994 08:49:37 GMT.
let someDate = Date(timeIntervalSince1970: 784_111_777)

func request(
    _ method: HTTPMethod = .get, _ url: String = "http://h/", fields: KeyValuePairs<String, String> = [:],
    body: HTTPBody = .empty, total: Duration? = nil, maximumAttempts: Int? = nil
) throws -> HTTPRequest {
    try HTTPRequest(
        method, url, fields: HTTPFields(fields), body: body,
        options: RequestOptions(timeouts: Timeouts(total: total), maximumAttempts: maximumAttempts))
}

/// An attempt that brought a response.
func ended(
    _ request: HTTPRequest, _ status: HTTPStatus, fields: KeyValuePairs<String, String> = [:],
    earlier: [TransportError.Attempt] = []
) throws -> EndedAttempt {
    let head = HTTPResponseHead(status: status, fields: try HTTPFields(fields), url: request.url)
    return EndedAttempt(request, outcome: .response(head), earlier: earlier, date: someDate)
}

/// An attempt that failed.
func ended(
    _ request: HTTPRequest, _ error: TransportError, earlier: [TransportError.Attempt] = []
) -> EndedAttempt {
    EndedAttempt(request, outcome: .failure(error), earlier: earlier, date: someDate)
}

/// The attempts before the one with this number, with these waits.
func earlier(_ delays: Duration...) -> [TransportError.Attempt] {
    delays.map { TransportError.Attempt(.status(.serviceUnavailable), delay: $0) }
}

/// Keeps the events of one request.
final class EventLog: TransferObserver {
    private let log = Mutex<[TransferEvent]>([])
    var events: [TransferEvent] { log.withLock(\.self) }
    func transfer(didReach event: TransferEvent) { log.withLock { $0.append(event) } }
}

/// Counts how often it was asked.
final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock(\.self) }
    /// The number of this call, counted from 1.
    @discardableResult
    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}

/// The names of all codes, as they stand in the source: there is no list of them that a new one could be missing in.
func namesOfTransportCodes() throws -> Set<String> {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let source = tests.appending(path: "../../Sources/Transport/TransportError.swift").standardizedFileURL
    let text = try String(contentsOf: source, encoding: .utf8)
    return Set(text.matches(of: /static let (\w+) = Code\(name: "/).map { String($0.output.1) })
}

let transportCodes: [TransportError.Code] = [
    .connectionRefused, .hostNotFound, .unreachable, .timedOut, .connectionLost, .truncated, .malformedResponse,
    .undecodableContent, .responseTooLarge, .tls, .proxy, .cancelled, .unreadableBody, .temporaryStorage,
    .reservedField, .tooManyRedirects, .redirectRefused, .circuitOpen, .unsupported, .unknown,
]
