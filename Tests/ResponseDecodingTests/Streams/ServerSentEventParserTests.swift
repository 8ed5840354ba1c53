import Foundation
import PatchbayTestKit
import ResponseDecoding
import Testing

@Suite struct ServerSentEventParserTests {
    private static func event(type: String = "message", data: String, lastEventID: String = "") -> ServerSentEvent {
        ServerSentEvent(type: type, data: data, lastEventID: lastEventID)
    }

    private func event(type: String = "message", data: String, lastEventID: String = "") -> ServerSentEvent {
        Self.event(type: type, data: data, lastEventID: lastEventID)
    }

    private func events(_ text: String) -> [ServerSentEvent] { ServerSentEventParser().values(of: text) }

    private static let examples: [(String, [ServerSentEvent])] = [
        ("data: hello\n\n", [event(data: "hello")]),
        ("data: JACK\ndata: -3\ndata: 40\n\n", [event(data: "JACK\n-3\n40")]),
        // A comment, an ID, an ID reset, one of two spaces dropped, and an incomplete event.
        (
            ": first\n\ndata: one\nid: 1\n\ndata:two\nid\n\ndata:  three\n",
            [event(data: "one", lastEventID: "1"), event(data: "two")]
        ),
        // Empty data lines count as data, one line or two.
        ("data\n\ndata\ndata\n\ndata:", [event(data: ""), event(data: "\n")]),
        // A space after the colon is ignored.
        ("data:test\n\ndata: test\n\n", [event(data: "test"), event(data: "test")]),
        (
            "event: add\ndata: 1\n\nevent: remove\ndata: 2\n\n",
            [event(type: "add", data: "1"), event(type: "remove", data: "2")]
        ),
    ]

    @Test(arguments: examples)
    func `examples of the standard`(text: String, expected: [ServerSentEvent]) {
        #expect(events(text) == expected)
        #expect(events(text.replacing("\n", with: "\r\n")) == expected)
        #expect(events(text.replacing("\n", with: "\r")) == expected)
    }

    private static let fields: [(String, [ServerSentEvent])] = [
        ("\u{FEFF}data:a\n\n", [event(data: "a")]),
        ("\u{FEFF}\u{FEFF}data:a\n\n", []),
        ("data:\u{FEFF}a\n\n", [event(data: "\u{FEFF}a")]),
        (":data:a\n\n", []), (" data:a\n\n", []), ("Data:a\n\n", []), ("data :a\n\n", []), ("DATA:a\n\n", []),
        ("other:a\ndatax:b\ndat:c\n\n", []),
        ("data:a:b\n\n", [event(data: "a:b")]), ("data:\ta \n\n", [event(data: "\ta ")]),
        ("data:a\nevent:x\nevent\n\n", [event(data: "a")]),
        ("event:x\n\ndata:a\n\n", [event(data: "a")]), ("event: x y\ndata:a\n\n", [event(type: "x y", data: "a")]),
        ("data:a\0b\n\n", [event(data: "a\0b")]), ("\0data:a\n\n", []),
        ("\n\n\ndata:a\n\n\n\ndata:b\r\n\r\n", [event(data: "a"), event(data: "b")]),
        ("data:a\r\rdata:b\n\r", [event(data: "a"), event(data: "b")]),
        ("data:a\n:comment\ndata:b\n\n", [event(data: "a\nb")]),
        ("", []), ("\n", []), (":", []), ("data", []), ("data:a\n", []), ("data:a\n\n:", [event(data: "a")]),
    ]

    @Test(arguments: fields)
    func `fields are parsed as in the standard`(text: String, expected: [ServerSentEvent]) {
        #expect(events(text) == expected)
    }

    @Test(arguments: [
        ("id:1\ndata:a\n\ndata:b\n\n", ["1", "1"], "1"),
        ("id:1\ndata:a\n\nid:x\0y\ndata:b\n\n", ["1", "1"], "1"),
        ("id:1\ndata:a\n\nid:\0\ndata:b\n\n", ["1", "1"], "1"),
        ("id:1\n\n", [], "1"), ("id:1\n", [], ""), ("id:1\ndata:a\n\nid:2\ndata:b\n", ["1"], "1"),
        ("id: ä \ndata:a\n\n", ["ä "], "ä "), ("id:1\nid:2\ndata:a\n\n", ["2"], "2"),
    ])
    func `an ID is kept until the next one`(text: String, ids: [String], last: String) throws {
        var parser = ServerSentEventParser()
        parser.push(Data(text.utf8))
        parser.finish()
        for id in ids { #expect(try parser.next()?.lastEventID == id) }
        #expect(try parser.next() == nil)
        #expect(parser.lastEventID == last)
    }

    @Test func `a reconnected stream starts with the last event ID`() throws {
        var parser = ServerSentEventParser(lastEventID: "41")
        #expect(parser.lastEventID == "41")
        parser.push(Data("data:a\n\nid\ndata:b\n\n".utf8))
        #expect(try parser.next() == ServerSentEvent(data: "a", lastEventID: "41"))
        #expect(try parser.next() == ServerSentEvent(data: "b", lastEventID: ""))
    }

    @Test(
        arguments: [
            ("retry:1500\n", .milliseconds(1500)), ("retry: 0\n", .zero), ("retry:007\n", .milliseconds(7)),
            ("retry:\n", nil), ("retry\n", nil), ("retry:+1\n", nil), ("retry:-1\n", nil), ("retry:1.5\n", nil),
            ("retry:  1\n", nil), ("retry:1 \n", nil), ("retry:0x1\n", nil), ("retry:\u{663}\n", nil), ("retry:5", nil),
            ("retry:10\nretry:x\n", .milliseconds(10)), ("retry:10\nretry:20\n", .milliseconds(20)),
            ("retry:99999999999999999999999999\n", .milliseconds(Int64.max)),
        ] as [(String, Duration?)])
    func `the reconnection time must be digits and is effective at once`(text: String, time: Duration?) throws {
        var parser = ServerSentEventParser()
        parser.push(Data(text.utf8))
        #expect(try parser.next() == nil)
        #expect(parser.reconnectionTime == time)
        parser.finish()
        #expect(try parser.next() == nil)
        #expect(parser.reconnectionTime == time)
    }

    @Test func `an event is complete at the first byte of its blank line`() {
        let parser = ServerSentEventParser()
        #expect(parser.outcomes(of: "data:a\r\n\r", finishing: false) == [.value(event(data: "a"))])
        #expect(parser.outcomes(of: "data:a\n", finishing: false) == [])
    }

    @Test func `invalid UTF-8 is replaced`() {
        let bytes = Data("data:".utf8) + [0xFF, 0xE2, 0x82] + Data("\nid:".utf8) + [0xC3] + Data("\n\n".utf8)
        let expected = ServerSentEvent(data: "\u{FFFD}\u{FFFD}", lastEventID: "\u{FFFD}")
        #expect(ServerSentEventParser().outcomes(of: bytes.singleBytes) == [.value(expected)])
    }

    private static let stream = """
        \u{FEFF}: hi\r\nretry: 250\nevent: ä🎈\r\ndata: one\rdata:two€\n\nid: 7\n\r\ndata\r\n\r\nid:\0\ndata: x\r\r\ndata: lost
        """

    @Test func `chunk boundaries do not matter`() {
        let bytes = Data(Self.stream.utf8)
        let whole = ServerSentEventParser().outcomes(of: [bytes])
        #expect(
            whole == [
                .value(event(type: "ä🎈", data: "one\ntwo€")), .value(event(data: "", lastEventID: "7")),
                .value(event(data: "x", lastEventID: "7")),
            ])
        for place in 0...bytes.count {
            #expect(ServerSentEventParser().outcomes(of: bytes.cut(at: place)) == whole, "cut at \(place)")
        }
        #expect(ServerSentEventParser().outcomes(of: bytes.singleBytes) == whole)
    }

    @Test(arguments: 0..<20)
    func `random chunks give the same events as the whole text`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let parts = [
            "data", "data:", "data: ", "event:", "id:", "retry:", ":", " ", "1", "ä", "\n", "\n", "\r", "\r\n", "\0",
            "\n\n",
        ]
        for _ in 0..<50 {
            let bytes = Data.random(of: parts, using: &generator)
            let expected = NaiveEventStream.events(of: bytes).map { Outcome.value($0) }
            let pieces = bytes.randomPieces(using: &generator)
            #expect(ServerSentEventParser().outcomes(of: pieces) == expected, "\(pieces.map(Array.init))")
            for limit in [0, 1, 6, 9] {
                let parser = ServerSentEventParser(maximumLength: limit)
                #expect(parser.outcomes(of: pieces) == parser.outcomes(of: [bytes]))
            }
        }
    }

    @Test func `parsing continues after an event that is too large`() throws {
        let parser = ServerSentEventParser(maximumLength: 12)
        let good = ServerSentEvent(data: "123456\n78901", lastEventID: "")
        #expect(parser.values(of: "data: 123456\ndata: 78901\n\n") == [good])
        let tooLarge = Outcome<ServerSentEvent>.error(.eventTooLarge, line: 3, prefix: Data("data:789012".utf8))
        let text = "id:9\ndata: 123456\ndata:789012\ndata:more\nretry:5\n\ndata:b\n\n"
        #expect(parser.outcomes(of: text) == [tooLarge, .value(event(data: "b"))])
        // The type counts towards the limit; of several types only the last.
        let typed = "data:123456\nevent:123456\n\nevent:123456\nevent:x\ndata:1234567\n\n"
        #expect(parser.values(of: typed) == [event(type: "123456", data: "123456"), event(type: "x", data: "1234567")])
        let typedTooLarge = Outcome<ServerSentEvent>.error(.eventTooLarge, line: 2, prefix: Data("data:1234567".utf8))
        #expect(parser.outcomes(of: "event:123456\ndata:1234567\n\n") == [typedTooLarge])
        let line = Outcome<ServerSentEvent>.error(.lineTooLong, line: 2, prefix: Data("data:1234567".utf8))
        #expect(parser.outcomes(of: "data:a\ndata:12345678\ndata:x\n\ndata:b\n\n") == [line, .value(event(data: "b"))])
    }

    @Test func `a skipped event does not change the last event ID`() {
        let parser = ServerSentEventParser(lastEventID: "1", maximumLength: 8)
        let outcomes = parser.outcomes(of: "id:2\ndata:456\ndata:456\ndata:456\nid:3\n\ndata:b\n\n")
        #expect(outcomes.last == .value(event(data: "b", lastEventID: "1")))
        #expect(outcomes.count == 2)
    }

    @Test func `memory is bounded for unterminated data`() throws {
        var parser = ServerSentEventParser(maximumLength: 100)
        var errors = 0
        for _ in 0..<10_000 {
            parser.push(Data("data:0123456789\n".utf8))
            do { _ = try parser.next() } catch { errors += 1 }
        }
        #expect(errors == 1)
    }
}
