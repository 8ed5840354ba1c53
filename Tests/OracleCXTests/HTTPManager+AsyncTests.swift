import Delegation
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import Queueing
import ResponseDecoding
import TestSupport
import Testing
import Transport

private struct Item: Codable, Equatable {
    let id: Int
}

@Suite(.needsSlot) struct HTTPManagerAsyncTests {
    @Test(arguments: [HTTPStatus.ok, .notFound, .internalServerError])
    func `a response with any status is returned`(status: HTTPStatus) async throws {
        let fixture = try Fixture(ScriptedTransport([], then: .text("x", status: status)))
        let response = try await fixture.manager.send(ORARequest(url: "http://oracle.test/"))
        #expect(response.status == status && response.body == Data("x".utf8))
    }

    @Test func `a request without a response throws`() async throws {
        let fixture = try Fixture(ScriptedTransport([], then: .failure(.hostNotFound)))
        let error = await #expect(throws: ORAError.self) {
            try await fixture.manager.send(ORARequest(url: "http://oracle.test/"))
        }
        #expect(error?.code == .transport && error?.errorCode == NSURLErrorCannotFindHost)
        let unsendable = await #expect(throws: ORAError.self) {
            try await fixture.manager.send(ORARequest(url: "www.abc.come/xyz"))
        }
        #expect(unsendable?.code == .unsupportedURL)
    }

    @Test func `a body is compressed`() async throws {
        let fixture = try Fixture(ScriptedTransport([], then: .status(.ok)))
        let request = ORARequest(url: "http://oracle.test/")
        request.requestBody = Data(repeating: 7, count: 100_000)
        request.compression = true
        _ = try await fixture.manager.send(request)
        let sent = try #require(fixture.transport.requests.first)
        #expect(sent.fields[.contentEncoding] == "gzip" && sent.method == .post)
        #expect(try #require(sent.body.length) < 1000)
    }

    @Test func `a response can be decoded`() async throws {
        let fixture = try Fixture(ScriptedTransport([], then: .json(["id": 7])))
        let item = try await fixture.manager.send(ORARequest(url: "http://oracle.test/"), as: .json(Item.self))
        #expect(item == Item(id: 7))
    }

    @Test(arguments: [
        (HTTPStatus.notFound, #"{"id":7}"#, ORAError.Code.status, NSURLErrorBadServerResponse),
        (.ok, #"{"id":"hush"}"#, .parse, NSURLErrorCannotParseResponse),
        (.ok, "", .parse, NSURLErrorCannotParseResponse),
    ])
    func `decoding requires a 2xx and a valid body`(status: HTTPStatus, body: String, code: ORAError.Code, number: Int)
        async throws
    {
        let fixture = try Fixture(ScriptedTransport([], then: .text(body, status: status)))
        let error = await #expect(throws: ORAError.self) {
            try await fixture.manager.send(ORARequest(url: "http://oracle.test/"), as: .json(Item.self))
        }
        #expect(error?.code == code && error?.errorCode == number)
        #expect(error?.response?.body == Data(body.utf8))
        #expect(error?.description.contains("hush") == false)
    }

    static let failures: [(type: String, body: String, words: String)] = [
        ("text/plain", "It broke.", ": It broke."),
        ("text/html; charset=iso-8859-1", "<h1>\n  Sorry </h1>\r\n", ": <h1> Sorry </h1>"),
        (
            "application/json", #"{"message":"no","access_token":"hush","x":{"password" : "hu\"sh"}}"#,
            #": {"message":"no","access_token":<redacted>,"x":{"password" : <redacted>}}"#
        ),
        ("application/x-www-form-urlencoded", "error=no&token=hush", ": error=no&token=<redacted>"),
        ("text/plain", String(repeating: "ä", count: 5000), ": " + String(repeating: "ä", count: 200) + "…"),
        ("image/png", "\u{0}\u{1}PNG", ""),
        ("text/plain", "", ""),
        ("text/plain", " \n ", ""),
    ]

    @Test(arguments: failures.indices)
    func `a status error has the request and the start of the body`(index: Int) async throws {
        let failure = Self.failures[index]
        let body =
            failure.type.contains("8859")
            ? Data(failure.body.unicodeScalars.map { UInt8($0.value) }) : Data(failure.body.utf8)
        let fields = try HTTPFields(["Content-Type": failure.type])
        let fixture = try Fixture(
            ScriptedTransport([], then: .response(.internalServerError, fields: fields, body: body)))
        let request = ORARequest(url: "https://host/items?key=hush")
        request.requestType = GET
        let error = await #expect(throws: ORAError.self) {
            try await fixture.manager.send(request, as: .json(Item.self))
        }
        let expected = "GET https://host/items?key=<redacted>: 500 Internal Server Error\(failure.words)"
        #expect(error?.message == expected && error?.description == expected + " [status]")
        #expect((error as NSError?)?.localizedDescription == error?.description)
    }

    @Test
    func `addRequest and add have async forms, as Swift imports them`() async throws {
        let fixture = try Fixture(ScriptedTransport([.text("one"), .status(.notFound)], then: .failure(.hostNotFound)))
        let request = ORARequest(url: "http://oracle.test/")
        request.requestTag = "tag"
        let first = await fixture.manager.addRequest(request)
        #expect(first.data == Data("one".utf8) && first.error == nil && first.requestTag == "tag")
        let second = await fixture.manager.add(request)
        #expect(second.statusCode == 404 && second.error == nil)
        let third = await fixture.manager.addRequest(request)
        #expect(third.statusCode == nil && (third.error as? ORAError)?.code == .transport && third.requestTag == "tag")
        let fourth = await withCheckedContinuation { done in
            fixture.manager.add(ORARequest(url: nil)) { done.resume(returning: $0) }
        }
        #expect((fourth.error as? ORAError)?.code == .invalidURL)
    }

    @Test
    func `cancelling the task cancels the request, which shares the queue with added ones`() async throws {
        let fixture = try Fixture(ScriptedTransport([.never], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        let running = fixture.add("running", into: ledger)
        try await fixture.transport.requests(count: 1)
        let executor = ObservedExecutor()
        let task = Task(executorPreference: executor) {
            try await fixture.manager.send(ORARequest(url: "http://oracle.test/"))
        }
        try await executor.waitUntilIdle()
        #expect(fixture.manager.queue.waitingCount == 1)
        task.cancel()
        let error = await #expect(throws: ORAError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(fixture.sent == ["running"])
        running.cancel()
        try await ledger.waitForAll()
    }
}
