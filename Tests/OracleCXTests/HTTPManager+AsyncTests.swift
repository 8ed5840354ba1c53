import Delegation
import Foundation
import HTTPMessages
import OracleCX
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing
import Transport

private struct Item: Codable, Equatable {
    let id: Int
}

@Suite("Oracle: async and typed", .needsSlot) struct HTTPManagerAsyncTests {
    @Test("any answer is an answer", arguments: [HTTPStatus.ok, .notFound, .internalServerError])
    func answer(status: HTTPStatus) async throws {
        let bench = try Bench(ScriptedTransport([], then: .text("x", status: status)))
        let answer = try await bench.manager.send(ORARequest(url: "http://oracle.test/"))
        #expect(answer.status == status && answer.body == Data("x".utf8))
    }

    @Test("no answer is an error") func failure() async throws {
        let bench = try Bench(ScriptedTransport([], then: .failure(.hostNotFound)))
        let error = await #expect(throws: ORAError.self) {
            try await bench.manager.send(ORARequest(url: "http://oracle.test/"))
        }
        #expect(error?.code == .transport && error?.errorCode == NSURLErrorCannotFindHost)
        let unsendable = await #expect(throws: ORAError.self) {
            try await bench.manager.send(ORARequest(url: "www.abc.come/xyz"))
        }
        #expect(unsendable?.code == .unsupportedURL)
    }

    @Test("a body is compressed beside the caller") func compressed() async throws {
        let bench = try Bench(ScriptedTransport([], then: .status(.ok)))
        let request = ORARequest(url: "http://oracle.test/")
        request.requestBody = Data(repeating: 7, count: 100_000)
        request.compression = true
        _ = try await bench.manager.send(request)
        let sent = try #require(bench.transport.requests.first)
        #expect(sent.fields[.contentEncoding] == "gzip" && sent.method == .post)
        #expect(try #require(sent.body.length) < 1000)
    }

    @Test("an answer can be decoded") func decoded() async throws {
        let bench = try Bench(ScriptedTransport([], then: .json(["id": 7])))
        let item = try await bench.manager.send(ORARequest(url: "http://oracle.test/"), as: .json(Item.self))
        #expect(item == Item(id: 7))
    }

    @Test(
        "decoding wants a 2xx and the right body",
        arguments: [
            (HTTPStatus.notFound, #"{"id":7}"#, ORAError.Code.status, NSURLErrorBadServerResponse),
            (.ok, #"{"id":"hush"}"#, .parse, NSURLErrorCannotParseResponse),
            (.ok, "", .parse, NSURLErrorCannotParseResponse),
        ])
    func undecodable(status: HTTPStatus, body: String, code: ORAError.Code, number: Int) async throws {
        let bench = try Bench(ScriptedTransport([], then: .text(body, status: status)))
        let error = await #expect(throws: ORAError.self) {
            try await bench.manager.send(ORARequest(url: "http://oracle.test/"), as: .json(Item.self))
        }
        #expect(error?.code == code && error?.errorCode == number)
        #expect(error?.response?.body == Data(body.utf8))
        #expect(error?.description.contains("hush") == false)
    }

    @Test("cancelling the task cancels the request; it shares the queue with those that are added")
    func cancelled() async throws {
        let bench = try Bench(ScriptedTransport([.never], then: .status(.ok)))
        let ledger = CompletionLedger<ORAResponse>()
        let running = bench.add("running", into: ledger)
        try await bench.transport.requests(count: 1)
        let task = Task { try await bench.manager.send(ORARequest(url: "http://oracle.test/")) }
        try await bench.waitForWaiting(1)
        task.cancel()
        let error = await #expect(throws: ORAError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(bench.sent == ["running"])
        running.cancel()
        try await ledger.waitForAll()
    }
}
