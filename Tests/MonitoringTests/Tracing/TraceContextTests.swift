import Foundation
import HTTPMessages
import Testing

@testable import Monitoring

/// Behavior 6: `traceparent` and `tracestate`, with the cases of the tests of W3C Trace Context.
@Suite struct TraceContextTests {
    private static let trace = "12345678901234567890123456789012"
    private static let span = "1234567890123456"

    @Test(arguments: [
        "00-\(trace)-\(span)-00", "00-\(trace)-\(span)-01", "cc-\(trace)-\(span)-01",
        "cc-\(trace)-\(span)-01-what-the-future-will-be-like", "fe-\(trace)-\(span)-01",
    ])
    func `valid ones continue the trace`(_ text: String) throws {
        let context = try #require(TraceContext(traceparent: text))
        #expect(context.traceID == Self.trace)
        #expect(context.traceparent == "00-\(Self.trace)-\(Self.span)-\(context.isSampled ? "01" : "00")")
        let child = context.child()
        #expect(child.traceID == Self.trace && child.spanID != context.spanID)
    }

    @Test(arguments: [
        "", "00", "ff-\(trace)-\(span)-01", ".0-\(trace)-\(span)-01", "0.-\(trace)-\(span)-01",
        "000-\(trace)-\(span)-01", "0000-\(trace)-\(span)-01", "0-\(trace)-\(span)-01",
        "00-\(trace)-\(span)-01.", "00-\(trace)-\(span)-01-what-the-future-will-be-like",
        "cc-\(trace)-\(span)-01.what-the-future-will-be-like", "00-00000000000000000000000000000000-\(span)-01",
        "00-.\(trace.dropFirst())-\(span)-01", "00-\(trace.dropLast()).-\(span)-01", "00-\(trace)3-\(span)-01",
        "00-\(trace.dropLast())-\(span)-01", "00-\(trace)-0000000000000000-01", "00-\(trace)-.\(span.dropFirst())-01",
        "00-\(trace)-\(span.dropLast()).-01", "00-\(trace)-\(span)7-01", "00-\(trace)-\(span.dropLast())-01",
        "00-\(trace)-\(span)-.0", "00-\(trace)-\(span)-0.", "00-\(trace)-\(span)-001", "00-\(trace)-\(span)-1",
        "00-ABCDEF78901234567890123456789012-\(span)-01", "00_\(trace)_\(span)_01",
        String(repeating: "0", count: 1_000_000), "00-é2345678901234567890123456789-\(span)-01",
    ])
    func `invalid ones begin a new trace`(_ text: String) { #expect(TraceContext(traceparent: text) == nil) }

    @Test func `fields are read in any case, and a second one is invalid`() throws {
        let value = "00-\(Self.trace)-\(Self.span)-01"
        var fields = try HTTPFields(["TrAcEpArEnT": "\t \(value) \t", "TraceState": "a=1", "tracestate": "", "X": "y"])
        let context = try #require(TraceContext(fields))
        #expect(context.traceID == Self.trace && context.state["a"] == "1")
        try fields.append("traceparent", value)
        #expect(TraceContext(fields) == nil)
        #expect(TraceContext(try HTTPFields(["trace-parent": value])) == nil)
        #expect(TraceContext(try HTTPFields(["tracestate": "a=1"])) == nil)
    }

    @Test(arguments: [
        (["foo=1,bar=2"], "foo=1,bar=2"), (["foo=1 \t , \t bar=2, \t baz=3"], "foo=1,bar=2,baz=3"),
        (["foo=1,bar=2", "rojo=1,congo=2", "baz=3"], "foo=1,bar=2,rojo=1,congo=2,baz=3"), ([""], nil),
        (["foo=1", ""], "foo=1"), (["foo=1,", ",,bar=2"], "foo=1,bar=2"), (["a@b=1"], "a@b=1"), (["0a=1"], "0a=1"),
        (["abc_-*/=!\"#$%&'()*+-./:;<>?@[\\]^_`{|}~"], "abc_-*/=!\"#$%&'()*+-./:;<>?@[\\]^_`{|}~"),
    ])
    func `valid states are kept in order`(_ fields: [String], _ text: String?) throws {
        #expect(try #require(TraceState(parsing: fields)).field == text)
    }

    @Test(arguments: [
        "foo=1,foo=1", "foo=1,foo=2", "foo =1", "FOO=1", "foo.bar=1", "foo@=1,bar=2", "@foo=1,bar=2",
        "foo@@bar=1,bar=2", "foo@bar@baz=1,bar=2", "foo", "=1", "foo=", "foo=a=b", "foo=\u{7F}", "foo=é", "a@0b=1",
        String(repeating: "z", count: 257) + "=1", String(repeating: "t", count: 242) + "@v=1",
        "t@" + String(repeating: "v", count: 15) + "=1", "foo=" + String(repeating: "v", count: 257),
        (0..<33).map { "k\($0)=1" }.joined(separator: ","),
    ])
    func `invalid states are dropped as a whole`(_ text: String) {
        #expect(TraceState(parsing: [text]) == nil)
        #expect(
            TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-01", tracestate: text)?.state.entries.isEmpty
                == true)
    }

    @Test func `the largest state is kept, and a new entry replaces the last one`() throws {
        let text = (0..<32).map { "k\($0)=1" }.joined(separator: ",")
        let state = try #require(TraceState(parsing: [text])?.setting("mine", to: "x"))
        #expect(state.entries.count == 32 && state.entries[0].key == "mine" && state["k31"] == nil)
        #expect(state.setting("k3", to: "y")?.entries.first?.value == "y")
        #expect(state.setting("Bad", to: "y") == nil && state.setting("a", to: "b,c") == nil)
        let key = String(repeating: "t", count: 241) + "@" + String(repeating: "v", count: 14)
        #expect(TraceState(parsing: ["\(key)=\(String(repeating: "v", count: 256))"]) != nil)
    }

    @Test func `new traces have valid and different IDs`() {
        let contexts = (0..<100).map { _ in TraceContext.begin() }
        #expect(Set(contexts.map(\.traceID)).count == 100)
        for context in contexts { #expect(TraceContext(traceparent: context.traceparent) == context) }
        #expect(!TraceContext.begin(isSampled: false).isSampled)
    }
}
