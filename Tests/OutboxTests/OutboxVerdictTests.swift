import Authentication
import Foundation
import HTTPMessages
import Queueing
import Testing
import Transport

@testable import Outbox

@Suite struct OutboxVerdictTests {
    static func entry(doubt: Int64 = 0) -> OutboxEntry {
        EntryRow.sample { $0.doubt = doubt }.entry
    }

    @Test(arguments: [
        (200, false, OutboxVerdict.done), (204, false, .done), (304, false, .failed), (400, false, .failed),
        (401, false, .failed), (404, false, .failed), (408, false, .again()), (409, false, .failed),
        (409, true, .again()), (412, true, .failed), (422, true, .failed), (425, false, .again()),
        (429, false, .again()), (500, false, .again()), (503, false, .again()), (599, false, .again()),
    ])
    func `4: the default verdict of a status`(status: Int, isUnknown: Bool, verdict: OutboxVerdict) throws {
        let url = try #require(URL(string: "http://h/"))
        let response = HTTPResponse(status: try #require(HTTPStatus(status)), url: url)
        #expect(.standard(for: OutboxAttempt(Self.entry(doubt: isUnknown ? 4 : 0), .success(response))) == verdict)
    }

    @Test(arguments: [
        (TransportError(.unreachable, "m") as any Error, OutboxVerdict.again()),
        (TransportError(.connectionRefused, "m"), .again()),
        (TransportError(.timedOut, "m", phase: .total), .again()),
        (TransportError(.tls, "m", tlsFailure: .untrustedCertificate), .failed),
        (TransportError(.unsupported, "m"), .failed),
        (TransportError(.unreadableBody, "m"), .failed),
        (AdmissionError(.circuitOpen, "m"), .again()),
        (AuthenticationError(.signInRequired, "m"), .again()),
        (HTTPMessageError(.invalidURL, "m"), .failed),
        (CancellationError(), .again()),
    ])
    func `4: the default verdict of an error`(error: any Error, verdict: OutboxVerdict) {
        #expect(.standard(for: OutboxAttempt(Self.entry(), .failure(error))) == verdict)
    }
}

extension EntryRow {
    /// An entry that is being sent by the sender `me`, with changes.
    static func sample(_ change: (inout EntryRow) -> Void = { _ in }) -> EntryRow {
        var row = EntryRow(
            number: 1, idempotencyKey: "k", user: "", key: "a", name: "save", phase: .sending, created: 0, expires: nil,
            due: nil, attempts: 1, doubt: 0, sender: "me", failure: nil,
            request: StoredRequest(
                method: "POST", url: "http://h/", origin: "http://h:80", fields: "[]", body: .none, priority: 0))
        change(&row)
        return row
    }
}
