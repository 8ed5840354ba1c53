import Foundation
import HTTPMessages
import Testing
import Transport

@testable import CurlTransport

@Suite struct TransferStateTests {
    private static let timeouts = Timeouts(response: .seconds(10), idle: .seconds(3), total: .seconds(60))

    private func state(_ timeouts: Timeouts = timeouts, limit: Int = 100, isStreamed: Bool = false) throws
        -> TransferState
    {
        let options = RequestOptions(timeouts: timeouts, maximumResponseBytes: limit)
        let request = try HTTPRequest(.get, "http://host/", options: options)
        return TransferState(request, isStreamed: isStreamed, now: .seconds(1))
    }

    private func head(_ fields: KeyValuePairs<String, String> = [:]) throws -> HTTPResponseHead {
        HTTPResponseHead(status: .ok, fields: try HTTPFields(fields), url: URL(filePath: "/"))
    }

    @Test func `while it waits for a slot only the total timeout runs`() throws {
        var state = try state()
        #expect(state.deadline == .seconds(61))
        state.started(now: .seconds(50))
        #expect(state.deadline == .seconds(60))
        #expect(state.expired(now: .seconds(59)) == nil)
        #expect(state.expired(now: .seconds(60))?.phase == .response)
        #expect(state.expired(now: .seconds(61))?.phase == .total)
    }

    @Test func `bytes extend the idle timeout, and a pause stops it`() throws {
        var state = try state(Timeouts(response: .seconds(10), idle: .seconds(3)))
        state.started(now: .seconds(2))
        _ = state.headReceived(try head(), length: nil, now: .seconds(4))
        #expect(state.deadline == .seconds(7))
        state.bytesArrived(now: .seconds(6))
        #expect(state.deadline == .seconds(9))
        state.setPaused(true, now: .seconds(7))
        #expect(state.deadline == nil)
        state.setPaused(false, now: .seconds(100))
        #expect(state.expired(now: .seconds(103))?.phase == .idle)
        state.networkEnded()
        #expect(state.deadline == nil)
    }

    @Test func `a declared length over the limit is refused, unless streamed`() throws {
        let head = try head(["Content-Length": "101"])
        var buffered = try state()
        #expect(buffered.headReceived(head, length: 101, now: .zero)?.code == .responseTooLarge)
        var streamed = try state(isStreamed: true)
        #expect(streamed.headReceived(head, length: 101, now: .zero) == nil)
        #expect(streamed.expected == 101)
        var decoded = try state()
        #expect(decoded.headReceived(head, length: nil, now: .zero) == nil)
        #expect(decoded.expected == nil)
    }

    private func sending(_ body: HTTPBody, trailers: RequestTrailers? = nil) throws -> TransferState {
        let timeouts = Timeouts(response: .seconds(10), send: .seconds(2))
        var request = try HTTPRequest(.post, "http://host/", body: body, options: RequestOptions(timeouts: timeouts))
        if let trailers { request.options.trailers = trailers }
        return TransferState(request, isStreamed: false, now: .zero)
    }

    @Test(arguments: [5 as Int64, nil])
    func `the send timeout ends when the system has the body`(length: Int64?) throws {
        var state = try sending(.stream(AsyncStream<Data> { $0.finish() }, length: length))
        state.started(now: .zero)
        #expect(state.expired(now: .seconds(2))?.phase == .send)
        state.connected(now: .seconds(1))
        state.bodySent(5, now: .seconds(2))
        state.bodyEnded()
        // libcurl has read all bytes, and sent some of them.
        state.bodySent(inSystem: 3, now: .seconds(3))
        #expect(state.expired(now: .seconds(5))?.phase == .send)
        state.bodySent(inSystem: 3, now: .seconds(4))
        #expect(state.deadline == .seconds(5))
        state.bodySent(inSystem: 5, now: .seconds(5))
        #expect(state.deadline == .seconds(13) && state.expired(now: .seconds(13))?.phase == .response)
        state.restarted(now: .seconds(6))
        #expect(state.expired(now: .seconds(8))?.phase == .send)
    }

    // libcurl counts the framing: five bytes in the system may be two of the body.
    @Test func `a body with trailers is not sent before it has ended, though its length is known`() throws {
        var state = try sending(.text("hello"), trailers: RequestTrailers())
        state.started(now: .zero)
        state.bodySent(2, now: .seconds(1))
        state.bodySent(inSystem: 5, now: .seconds(2))
        #expect(state.expired(now: .seconds(4))?.phase == .send)
        state.bodySent(3, now: .seconds(4))
        state.bodyEnded()
        state.bodySent(inSystem: 20, now: .seconds(5))
        #expect(state.deadline == .seconds(14))
    }

    @Test func `the send timeout runs neither before 100 (Continue) nor while a layer holds the body back`() throws {
        var state = try sending(.text("12345"))
        state.started(awaitsContinue: true, now: .zero)
        #expect(state.deadline == .seconds(10))
        #expect(state.bodyRequested(now: .seconds(5)) && !state.bodyRequested(now: .seconds(6)))
        #expect(state.deadline == .seconds(7))
        state.bodyHeld(now: .seconds(7))
        #expect(state.deadline == .seconds(9))
    }

    @Test func `the limit on bytes is inclusive`() throws {
        var state = try state(limit: 5)
        _ = state.headReceived(try head(), length: nil, now: .zero)
        let results = Data("01234".utf8).withUnsafeBytes { bytes in
            [state.bodyReceived(bytes), state.bodyReceived(UnsafeRawBufferPointer(rebasing: bytes[..<1]))]
        }
        #expect(results.map { $0?.code } == [nil, .responseTooLarge])
        #expect(results[1]?.bodyPrefix == Data("01234".utf8))
    }
}
