import Foundation
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import Testing

@Suite struct EventSourceStateTests {
    private static let stream = MediaType(parsing: "text/event-stream")
    private static let policy = ReconnectionPolicy(jitter: 0)
    private static let open = EventSourceState.Input.connected(.ok, stream)

    /// Actions of a new state for inputs, as short strings.
    private func actions(
        _ inputs: [EventSourceState.Input], policy: ReconnectionPolicy = policy, lastEventID: String = ""
    ) -> [String] {
        var state = EventSourceState(policy: policy, lastEventID: lastEventID)
        var generator = SeededGenerator(seed: 3)
        return inputs.map { input in
            switch state.handle(input, using: &generator) {
            case .read: "read"
            case .reconnect(let delay, let fields):
                "\(delay / .milliseconds(1))" + (fields["Last-Event-ID"].map { " from \($0)" } ?? "")
            case .giveUp(let error): "\(error.code)"
            }
        }
    }

    @Test(
        arguments: [
            ([open, .ended, open, .failed], ["read", "3000.0", "read", "3000.0"]),
            // The backoff grows with failures; a connection resets it.
            (
                [.failed, .failed, .failed, open, .failed, .failed],
                ["3000.0", "6000.0", "12000.0", "read", "3000.0", "3000.0"]
            ),
            ([.ended, .ended, .failed], ["3000.0", "6000.0", "12000.0"]),
            (
                [open, .received(lastEventID: "7", reconnectionTime: .milliseconds(250)), .ended, .failed, .failed],
                ["read", "read", "250.0 from 7", "250.0 from 7", "500.0 from 7"]
            ),
            // The requested reconnection time is kept after the stream; a reset ID is not.
            (
                [
                    open, .received(lastEventID: "7", reconnectionTime: .seconds(1)), .ended, open,
                    .received(lastEventID: "", reconnectionTime: nil), .ended,
                ],
                ["read", "read", "1000.0 from 7", "read", "read", "1000.0"]
            ),
        ] as [([EventSourceState.Input], [String])])
    func `transitions`(inputs: [EventSourceState.Input], expected: [String]) {
        #expect(actions(inputs) == expected)
    }

    @Test(arguments: [
        (204, "text/event-stream", "noContent"), (204, nil, "noContent"),
        (201, "text/event-stream", "unacceptableStatus"),
        (206, "text/event-stream", "unacceptableStatus"), (301, nil, "unacceptableStatus"),
        (404, "text/event-stream", "unacceptableStatus"), (503, "text/event-stream", "unacceptableStatus"),
        (200, nil, "unacceptableMediaType"), (200, "text/html", "unacceptableMediaType"),
        (200, "text/event-stream-x", "unacceptableMediaType"), (200, "TEXT/Event-Stream;charset=latin1", "read"),
        (200, "text/event-stream; x", "read"),
    ])
    func `only status 200 with an event stream is accepted`(code: Int, type: String?, expected: String) throws {
        let status = try #require(HTTPStatus(code))
        let input = EventSourceState.Input.connected(status, type.flatMap(MediaType.init(parsing:)))
        #expect(actions([input]) == [expected])
        #expect(actions([Self.open, .ended, input]).last == expected)
    }

    @Test func `the closed state is final`() {
        let inputs: [EventSourceState.Input] = [
            .connected(.noContent, nil), Self.open, .received(lastEventID: "1", reconnectionTime: nil), .ended, .failed,
        ]
        #expect(actions(inputs) == Array(repeating: "noContent", count: 5))
    }

    @Test func `the error has status and media type`() {
        var state = EventSourceState()
        var generator = SeededGenerator(seed: 1)
        let html = MediaType(parsing: "text/html;charset=utf-8")
        guard case .giveUp(let error) = state.handle(.connected(.ok, html), using: &generator) else {
            Issue.record("A page is no event stream.")
            return
        }
        #expect(error.status == .ok && error.mediaType == html)
    }

    @Test func `a policy has retryable statuses and a limit of failures`() {
        let policy = ReconnectionPolicy(jitter: 0, maximumFailures: 2, retryableStatuses: [.serviceUnavailable])
        let away = EventSourceState.Input.connected(.serviceUnavailable, nil)
        #expect(actions([away, .failed, away], policy: policy) == ["3000.0", "6000.0", "tooManyFailures"])
        #expect(
            actions([away, Self.open, .ended, away, away], policy: policy) == [
                "3000.0", "read", "3000.0", "3000.0", "6000.0",
            ])
        #expect(actions([.connected(.badGateway, nil)], policy: policy) == ["unacceptableStatus"])
        let impatient = ReconnectionPolicy(jitter: 0, maximumFailures: 0)
        #expect(actions([Self.open, .ended, .failed], policy: impatient) == ["read", "3000.0", "tooManyFailures"])
    }

    @Test func `jitter uses the generator`() {
        let delays = Set(
            (0..<10 as Range<UInt64>).map { seed in
                var state = EventSourceState()
                var generator = SeededGenerator(seed: seed)
                return state.handle(.failed, using: &generator)
            })
        #expect(delays.count == 10)
    }

    @Test(arguments: [
        ("", nil), ("7", "7"), ("ä €", "ä €"), (" 7 ", "7"), ("a\u{1}b", nil), ("\u{7F}", nil), ("a\tb", "a\tb"),
    ])
    func `Last-Event-ID is sent if it is a valid field value`(id: String, value: String?) {
        let fields = EventSourceState(lastEventID: id).fields
        #expect(fields["Accept"] == "text/event-stream")
        #expect(fields["Last-Event-ID"] == value)
        #expect(fields.count == (value == nil ? 1 : 2))
        #expect(actions([.failed], lastEventID: id) == ["3000.0" + (value.map { " from \($0)" } ?? "")])
    }

    @Test func `two consecutive streams are read as one`() throws {
        var generator = SeededGenerator(seed: 1)
        var state = EventSourceState(policy: Self.policy)
        var ids: [String] = []
        for text in ["retry:40\nid:1\ndata:a\n\nid:2\n\nid:3\ndata:lost", "data:b\n\n"] {
            #expect(state.handle(Self.open, using: &generator) == .read)
            var parser = ServerSentEventParser(lastEventID: state.lastEventID)
            parser.push(Data(text.utf8))
            parser.finish()
            while let event = try parser.next() { ids.append(event.lastEventID) }
            #expect(state.handle(.received(by: parser), using: &generator) == .read)
            var fields = HTTPFields()
            try fields.append("Accept", "text/event-stream")
            try fields.append("Last-Event-ID", "2")
            let expected = EventSourceState.Action.reconnect(after: .milliseconds(100), fields)
            #expect(state.handle(.ended, using: &generator) == expected)
        }
        #expect(ids == ["1", "2"])
        #expect(state.reconnectionTime == .milliseconds(40))
    }
}
