import Authentication
import Foundation
import HTTPMessages
import PatchbayTestKit
import Queueing
import StoreTestSupport
import TestSupport
import Testing
import Transport

@testable import Outbox

@Suite(.needsSlot) struct OutboxVerdictTests {
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

    @Test func `4: a 401 to a request without a credential is sent again, and its message says why`() async throws {
        let transport = FakeTransport { $0.response(.unauthorized) }
        let tokens = try BearerAuthorizer(token: "t")
        let request = try HTTPRequest(.post, "https://h/")
        for (origins, verdict, allowed) in [
            (AllowedOrigins.baseURL, OutboxVerdict.again(), "the origin of the base URL"),
            (try AllowedOrigins("https://other.example"), .failed, "https://other.example:443"),
            (try AllowedOrigins("https://h"), .failed, nil),
        ] as [(AllowedOrigins, OutboxVerdict, String?)] {
            let response = try await transport.authorizing(with: tokens, at: origins).send(request)
            #expect(.standard(for: OutboxAttempt(Self.entry(), .success(response))) == verdict)
            let note = allowed.map { "; no credential was sent to https://h:443: allowed is \($0)" } ?? ""
            #expect(OutboxFailure(response, .standard).message.hasPrefix("401 Unauthorized from https://h/" + note))
        }
        let moving = ScriptedTransport { request in
            guard request.url.host() == "h" else { return request.response(.unauthorized) }
            return request.response(.seeOther, fields: try HTTPFields(["Location": "https://other/"]))
        }
        let response = try await moving.authorizing(with: tokens, at: .baseURL).redirecting().send(request)
        #expect(OutboxVerdict.standard(for: OutboxAttempt(Self.entry(), .success(response))) == .failed)
    }

    @Test(arguments: [(TransportError.Code.connectionLost, 5), (.connectionRefused, 1)])
    func `4: a 409 after an attempt of a layer below whose outcome is unknown may be that attempt in progress`(
        code: TransportError.Code, attempts: Int
    ) async throws {
        let world = try OutboxWorld(.memory)
        let transport = FakeTransport { request in
            guard request.url.host() == "shop.example" else { return request.response(.conflict) }
            throw TransportError(code, "No response.", request: request)
        }
        let hosts = try HostList("http://shop.example", "http://other.example")
        let outbox = try world.open(over: transport.balancing(over: hosts, clock: ManualClock()))
        let id = try outbox.add(OutboxWorld.request(), key: "a", as: "save order").id
        try await outbox.waitUntilSettled()
        let entry = try #require(try outbox.entry(id))
        #expect(entry.attempts == attempts && entry.isOutcomeUnknown == (code == .connectionLost))
        if entry.isOutcomeUnknown {
            let error = #expect(throws: OutboxError.self) { try outbox.edit(id) { _ in } }
            #expect(error?.code == .outcomeUnknown)
        }
        await outbox.close()
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
