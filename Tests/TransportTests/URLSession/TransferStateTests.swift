import Foundation
import HTTPMessages
import Testing

@testable import Transport

@Suite struct TransferStateTests {
    private static let url = "http://host/"

    private func machine(
        _ timeouts: Timeouts = Timeouts(), method: HTTPMethod = .get, limit: Int = 100, body: HTTPBody = .empty,
        isStreamed: Bool = false
    ) throws -> TransferState {
        TransferState(
            try HTTPRequest(
                method, Self.url, body: body,
                options: RequestOptions(timeouts: timeouts, maximumResponseBytes: limit)),
            isStreamed: isStreamed, now: .seconds(100))
    }

    private func head(_ status: Int = 200) throws -> HTTPResponseHead {
        HTTPResponseHead(status: try #require(HTTPStatus(status)), url: try URL(httpString: Self.url))
    }

    private func code(_ actions: TransferState.Actions) -> TransportError.Code? {
        if case .failure(let error)? = actions.outcome { error.code } else { nil }
    }

    @Test func `returns head and body as a response`() throws {
        var machine = try machine(body: .empty)
        machine.started(now: .seconds(100))
        let head = try head()
        #expect(machine.headReceived(head, expected: nil, now: .seconds(101)).events == [.head(head)])
        #expect(machine.bodyReceived(Data("abc".utf8), now: .seconds(102)).events == [.receivedBytes(3, total: nil)])
        #expect(machine.bodyReceived(Data("def".utf8), now: .seconds(103)).events == [.receivedBytes(6, total: nil)])
        let outcome = try #require(machine.completed().outcome)
        #expect(try outcome.get() == HTTPResponse(head: head, body: Data("abcdef".utf8)))
        #expect(machine.isFinished)
    }

    @Test func `the send timeout ends with a body of unknown length too`() throws {
        let timeouts = Timeouts(response: .seconds(10), send: .seconds(2))
        let request = try HTTPRequest(
            .post, "http://host/", body: .stream(AsyncStream { $0.finish() }),
            options: RequestOptions(timeouts: timeouts))
        var machine = TransferState(request, now: .zero)
        machine.started(now: .zero)
        machine.bodyRead(toEnd: false, now: .seconds(1))
        #expect(machine.deadline == .seconds(3))
        machine.bodyRead(toEnd: true, now: .seconds(2))
        #expect(machine.deadline == .seconds(12))
        let outcome = try #require(machine.deadlineReached(now: .seconds(12)).outcome)
        #expect(#expect(throws: TransportError.self) { try outcome.get() }?.phase == .response)
    }

    @Test func `a late look for the end of a body of known length does not extend the response timeout`() throws {
        var machine = try machine(method: .post, body: .text("abc"))
        machine.started(now: .zero)
        machine.bodyRead(toEnd: false, now: .seconds(1))
        _ = machine.bodySent(3, now: .seconds(2))
        let deadline = try #require(machine.deadline)
        machine.bodyRead(toEnd: true, now: .seconds(4))
        #expect(machine.deadline == deadline)
    }

    @Test func `a body that the engine sends again is counted from zero`() throws {
        var machine = try machine(Timeouts(send: .seconds(2)), method: .post, body: .text("abc"))
        machine.started(now: .zero)
        machine.bodyRead(toEnd: false, now: .zero)
        #expect(machine.bodySent(2, now: .seconds(1)).events == [.sentBytes(2, total: 3)])
        machine.bodyRead(toEnd: false, now: .seconds(2))
        #expect(machine.bodySent(1, now: .seconds(3)).events == [.sentBytes(1, total: 3)])
        #expect(machine.deadline == .seconds(5))
        #expect(machine.bodySent(2, now: .seconds(4)).events == [.sentBytes(3, total: 3)])
        #expect(machine.metrics(now: .seconds(5))?.bytesSent == 3)
    }

    @Test(arguments: [HTTPBody.empty, .text("abc")])
    func `the last declared byte finishes the transfer`(body: HTTPBody) throws {
        var machine = try machine(method: body.isEmpty ? .get : .post, body: body)
        machine.started(now: .zero)
        if !body.isEmpty { _ = machine.bodySent(3, now: .zero) }
        let head = try head()
        _ = machine.headReceived(head, expected: 6, now: .zero)
        #expect(machine.bodyReceived(Data("abc".utf8), now: .zero).outcome == nil)
        let last = machine.bodyReceived(Data("def".utf8), now: .zero)
        #expect(last.events == [.receivedBytes(6, total: 6)])
        #expect(try last.outcome?.get() == HTTPResponse(head: head, body: Data("abcdef".utf8)))
        #expect(machine.isFinished && machine.completed().outcome == nil)
    }

    @Test(arguments: [3, nil] as [Int64?])
    func `the last declared byte does not finish it while the request is being sent`(length: Int64?) throws {
        let body = length.map { HTTPBody.bytes(Data(count: Int($0))) } ?? .stream(AsyncStream<Data> { $0.finish() })
        var machine = try machine(method: .post, body: body)
        machine.started(now: .zero)
        _ = machine.bodySent(2, now: .zero)
        _ = machine.headReceived(try head(413), expected: 1, now: .zero)
        #expect(machine.bodyReceived(Data(count: 1), now: .zero).outcome == nil)
        #expect(try machine.completed().outcome?.get().status.code == 413)
    }

    @Test func `a streamed body is delivered in chunks and not collected`() throws {
        var machine = try machine(limit: 1, isStreamed: true)
        machine.started(now: .seconds(100))
        #expect(machine.headReceived(try head(103), expected: nil, now: .seconds(100)).head == nil)
        let head = try head()
        let first = machine.headReceived(head, expected: 6, now: .seconds(101))
        #expect(first.head == head && first.events == [.head(head)] && first.outcome == nil)
        let chunk = machine.bodyReceived(Data("abc".utf8), now: .seconds(102))
        #expect(
            chunk.chunk == Data("abc".utf8) && chunk.events == [.receivedBytes(3, total: 6)] && chunk.outcome == nil)
        let last = machine.bodyReceived(Data("def".utf8), now: .seconds(103))
        #expect(last.chunk == Data("def".utf8) && last.events == [.receivedBytes(6, total: 6)])
        #expect(try last.outcome?.get() == HTTPResponse(head: head))
    }

    @Test(arguments: [6, nil] as [Int64?])
    func `a truncated streamed body, and one of unknown length`(expected: Int64?) throws {
        var machine = try machine(isStreamed: true)
        let head = try head()
        _ = machine.headReceived(head, expected: expected, now: .seconds(101))
        #expect(machine.bodyReceived(Data("abc".utf8), now: .seconds(102)).chunk == Data("abc".utf8))
        let end = machine.completed()
        #expect(code(end) == (expected == nil ? nil : .truncated) && end.outcome != nil)
    }

    @Test func `a second head is an error after the first was returned`() throws {
        var machine = try machine(isStreamed: true)
        _ = machine.headReceived(try head(), expected: nil, now: .seconds(101))
        let second = machine.headReceived(try head(), expected: nil, now: .seconds(101))
        #expect(code(second) == .malformedResponse && second.head == nil)
    }

    @Test(arguments: [false, true]) func `a switch of the protocol is an error`(isStreamed: Bool) throws {
        var machine = try machine(isStreamed: isStreamed)
        machine.started(now: .zero)
        #expect(code(machine.headReceived(try head(101), expected: nil, now: .zero)) == .malformedResponse)
    }

    @Test func `a body is incomplete between its head and its end`() throws {
        for expected in [6, nil] as [Int64?] {
            var machine = try machine(method: .post, body: .text("abc"))
            machine.started(now: .zero)
            #expect(!machine.hasIncompleteBody)
            _ = machine.headReceived(try head(100), expected: nil, now: .zero)
            #expect(!machine.hasIncompleteBody)
            _ = machine.headReceived(try head(), expected: expected, now: .zero)
            #expect(machine.hasIncompleteBody)
            _ = machine.bodyReceived(Data("abc".utf8), now: .zero)
            #expect(machine.hasIncompleteBody)
            // A body with all its bytes is complete, although the request is still being sent.
            _ = machine.bodyReceived(Data("def".utf8), now: .zero)
            #expect(!machine.isFinished && machine.hasIncompleteBody == (expected == nil))
            _ = machine.completed()
            #expect(!machine.hasIncompleteBody)
        }
        for (method, status) in [(HTTPMethod.head, 200), (.get, 204), (.get, 304)] {
            var machine = try machine(method: method)
            _ = machine.headReceived(try head(status), expected: 6, now: .zero)
            #expect(!machine.hasIncompleteBody)
        }
    }

    @Test(arguments: 0..<6) func `ignores events after finishing`(way: Int) throws {
        var machine = try machine(Timeouts(total: .seconds(1)), limit: 3)
        machine.started(now: .seconds(100))
        _ = machine.headReceived(try head(), expected: nil, now: .seconds(100))
        let end =
            switch way {
            case 0: machine.completed()
            case 1: machine.cancelled()
            case 2: machine.deadlineReached(now: .seconds(200))
            case 3: machine.bodyReceived(Data(count: 4), now: .seconds(100))
            case 4: machine.headReceived(try head(), expected: 4, now: .seconds(100))
            default: machine.abort(machine.error(.unknown, "x"))
            }
        #expect(end.outcome != nil && machine.isFinished)
        for actions in [
            machine.completed(), machine.cancelled(), machine.bodySent(9, now: .seconds(300)),
            machine.deadlineReached(now: .seconds(300)), machine.bodyReceived(Data(count: 1), now: .seconds(300)),
            machine.headReceived(try head(), expected: nil, now: .seconds(300)),
            machine.abort(machine.error(.unknown, "x")),
        ] {
            #expect(actions.outcome == nil && actions.events.isEmpty)
        }
    }

    @Test func `timeouts count from the start and from the last activity`() throws {
        var machine = try machine(
            Timeouts(response: .seconds(5), idle: .seconds(2), total: .seconds(60)), method: .post, body: .text("abc"))
        // Only the total timeout runs while the transfer waits for a slot.
        #expect(machine.deadline == .seconds(160))
        machine.started(now: .seconds(110))
        #expect(machine.deadline == .seconds(115))
        #expect(machine.bodySent(1, now: .seconds(112)).events == [.sentBytes(1, total: 3)])
        #expect(machine.deadline == .seconds(117))
        #expect(machine.bodySent(0, now: .seconds(113)).events.isEmpty)
        #expect(machine.deadline == .seconds(117))
        // An interim head is no progress: a server could send them without an end.
        _ = machine.headReceived(try head(100), expected: nil, now: .seconds(114))
        #expect(machine.deadline == .seconds(117) && !machine.hasHead)
        _ = machine.headReceived(try head(), expected: nil, now: .seconds(115))
        #expect(machine.deadline == .seconds(117) && machine.hasHead)
        _ = machine.bodyReceived(Data(count: 1), now: .seconds(116))
        #expect(machine.deadline == .seconds(118))
        #expect(machine.deadlineReached(now: .seconds(118) - .nanoseconds(1)).outcome == nil)
        #expect(code(machine.deadlineReached(now: .seconds(118))) == .timedOut)
    }

    @Test func `the idle timeout does not run while the task is suspended`() throws {
        var machine = try machine(
            Timeouts(response: .seconds(5), idle: .seconds(2), total: .seconds(60)), isStreamed: true)
        machine.started(now: .seconds(110))
        _ = machine.headReceived(try head(), expected: nil, now: .seconds(112))
        #expect(machine.deadline == .seconds(114))
        machine.setSuspended(true, now: .seconds(113))
        #expect(machine.deadline == .seconds(160))
        // Bytes that were on their way.
        #expect(machine.bodyReceived(Data(count: 1), now: .seconds(114)).chunk?.count == 1)
        #expect(machine.deadline == .seconds(160))
        #expect(machine.deadlineReached(now: .seconds(159)).outcome == nil)
        machine.setSuspended(false, now: .seconds(150))
        #expect(machine.deadline == .seconds(152))
        #expect(machine.deadlineReached(now: .seconds(151)).outcome == nil)
        machine.setSuspended(true, now: .seconds(151))
        guard case .failure(let error)? = machine.deadlineReached(now: .seconds(160)).outcome else {
            throw TransportError(.unknown, "No failure.")
        }
        #expect(error.phase == .total)
    }

    @Test func `without timeouts there is no deadline`() throws {
        var machine = try machine(Timeouts(response: nil, idle: nil))
        machine.started(now: .seconds(100))
        #expect(machine.deadline == nil)
        #expect(machine.deadlineReached(now: .seconds(1_000_000)).outcome == nil)
    }

    @Test(arguments: [
        (Timeouts(response: .seconds(1), idle: .seconds(1), total: .seconds(9)), false, Timeouts.Phase.response),
        (Timeouts(response: .seconds(1), idle: .seconds(1), total: .seconds(9)), true, .idle),
        (Timeouts(response: .seconds(9), idle: .seconds(9), total: .seconds(1)), false, .total),
        (Timeouts(response: .seconds(9), idle: .seconds(9), total: .seconds(1)), true, .total),
        (Timeouts(response: .seconds(1), idle: nil, total: .seconds(1)), false, .total),
    ])
    func `reports which timeout expired`(timeouts: Timeouts, hasHead: Bool, phase: Timeouts.Phase) throws {
        var machine = try machine(timeouts)
        machine.started(now: .seconds(100))
        if hasHead { _ = machine.headReceived(try head(), expected: nil, now: .seconds(100)) }
        let outcome = machine.deadlineReached(now: .seconds(101)).outcome
        guard case .failure(let error)? = outcome else { throw TransportError(.unknown, "No failure.") }
        #expect(error.code == .timedOut && error.phase == phase)
        #expect((error.head != nil) == hasHead)
    }

    @Test func `a second head replaces the first head and its body`() throws {
        var machine = try machine()
        _ = machine.headReceived(try head(401), expected: nil, now: .zero)
        _ = machine.bodyReceived(Data("nope".utf8), now: .zero)
        _ = machine.headReceived(try head(200), expected: 2, now: .zero)
        let response = try #require(try machine.bodyReceived(Data("ok".utf8), now: .zero).outcome?.get())
        #expect(response.status == .ok && response.body == Data("ok".utf8))
    }

    @Test(arguments: [0, 1, 99, 100, 101]) func `limits are exact to the byte`(count: Int) throws {
        for declared in [true, false] {
            var machine = try machine(limit: 100)
            let first = machine.headReceived(try head(), expected: declared ? Int64(count) : nil, now: .zero)
            #expect(code(first) == (declared && count > 100 ? .responseTooLarge : nil))
            guard !machine.isFinished else { continue }
            let second = machine.bodyReceived(Data(count: count), now: .zero)
            #expect(code(second) == (count > 100 ? .responseTooLarge : nil))
        }
        var none = try machine(limit: -1)
        _ = none.headReceived(try head(), expected: nil, now: .zero)
        #expect(code(none.bodyReceived(Data(), now: .zero)) == .responseTooLarge)
    }

    @Test func `a truncated body is an error with the bytes received`() throws {
        var machine = try machine()
        _ = machine.headReceived(try head(), expected: 5, now: .zero)
        _ = machine.bodyReceived(Data("abcd".utf8), now: .zero)
        guard case .failure(let error)? = machine.completed().outcome else {
            throw TransportError(.unknown, "No failure.")
        }
        #expect(error.code == .truncated && error.bodyPrefix == Data("abcd".utf8) && error.head?.status == .ok)
    }

    @Test(arguments: [("HEAD", 200), ("GET", 204), ("GET", 304)])
    func `ignores the length of responses without a body`(method: String, status: Int) throws {
        var machine = try machine(method: HTTPMethod(method), limit: 1)
        _ = machine.headReceived(try head(status), expected: 1 << 40, now: .zero)
        #expect(try machine.completed().outcome?.get().status.code == status)
    }

    @Test func `completion without a head is an error`() throws {
        var machine = try machine()
        #expect(machine.bodyReceived(Data("x".utf8), now: .zero).events.isEmpty)
        #expect(code(machine.completed()) == .malformedResponse)
    }

    @Test func `the send timeout ends with the last byte of a body whose length became known`() throws {
        let body = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
        var machine = try machine(Timeouts(response: .seconds(10), send: .seconds(2)), method: .post, body: body)
        machine.started(bodyLength: 5, now: .seconds(100))
        #expect(machine.deadline == .seconds(102))
        _ = machine.bodySent(5, now: .seconds(101))
        #expect(machine.deadline == .seconds(111))
    }
}
