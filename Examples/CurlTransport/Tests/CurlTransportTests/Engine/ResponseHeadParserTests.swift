import Foundation
import HTTPMessages
import Testing

@testable import CurlTransport

@Suite struct ResponseHeadParserTests {
    private var parser = ResponseHeadParser()

    private mutating func parse(_ lines: String...) -> [ResponseHeadParser.Line] {
        lines.map { line in Array((line + "\r\n").utf8).withUnsafeBytes { parser.parse($0) } }
    }

    @Test mutating func `a head is complete with its empty line`() {
        #expect(parse("HTTP/1.1 200 OK", "X-A: 1", "x-a:2", "") == [.none, .none, .none, .head])
        #expect(parser.status == .ok)
        #expect(parser.fields["X-A"] == "1, 2")
        #expect(!parser.isHTTP2)
    }

    @Test mutating func `interim heads leave no fields`() {
        #expect(parse("HTTP/1.1 103 Early Hints", "Link: </a>", "").last == ResponseHeadParser.Line.none)
        #expect(!parser.isInHead)
        #expect(parse("HTTP/2 204 ", "").last == .head)
        #expect(parser.fields.isEmpty)
        #expect(parser.isHTTP2)
    }

    @Test mutating func `continuation lines join their field`() {
        _ = parse("HTTP/1.1 200 OK", "X-A:  one ", "\t two", "")
        #expect(parser.fields["X-A"] == "one two")
    }

    @Test mutating func `a skipped field takes its continuation lines along`() {
        #expect(parse("HTTP/1.1 200 OK", "X-A: 1", "X Y: 2", " 3", "\t4", "X-B: 5", " 6", "").last == .head)
        #expect(parser.fields["X-A"] == "1" && parser.fields["X-B"] == "5 6" && parser.fields.count == 2)
    }

    @Test mutating func `fields after the head are trailers`() {
        _ = parse("HTTP/1.1 200 OK", "", "X-Sum: 7", "")
        #expect(parser.fields.isEmpty)
        #expect(parser.trailers["X-Sum"] == "7")
    }

    @Test(arguments: ["HTTP/1.1 x", "HTTP/1.1 20", "HTTP/1.1 000 No", "X-A: 1", " folded"])
    mutating func `an invalid start is refused`(line: String) {
        guard case .invalid = parse(line)[0] else { return #expect(Bool(false), "accepted: \(line)") }
    }

    @Test mutating func `a line without a colon and a head without an end are refused`() {
        guard case .invalid = parse("HTTP/1.1 200 OK", "nonsense")[1] else { return #expect(Bool(false)) }
        var last = ResponseHeadParser.Line.none
        _ = parse("HTTP/1.1 200 OK")
        for _ in 0..<20_000 where last == .none { last = parse("X-Filler: 0123456789")[0] }
        #expect(last != .none)
    }

    @Test mutating func `a field with an invalid name or value is skipped`() {
        #expect(parse("HTTP/1.1 200 OK", "X Y: 1", "X-B: a\u{1}b", "X-C: 2", "").last == .head)
        #expect(parser.fields.map(\.name.rawName) == ["X-C"])
    }

    @Test(arguments: [":", ": 1", " : 1", "Date:", "date:1", "DATE: 1", "Dat\u{e9}: 1"])
    mutating func `a name is known by all of its bytes, and may be empty`(line: String) {
        #expect(parse("HTTP/1.1 200 OK", "X-A: 1", line, "").last == .head)
        let isDate = line.lowercased().hasPrefix("date")
        #expect(parser.fields.map(\.name.rawName) == ["X-A"] + (isDate ? [String(line.prefix(4))] : []))
    }

    @Test mutating func `values keep bytes that are not UTF-8`() {
        _ = parse("HTTP/1.1 200 OK", "X-A: na\u{ef}ve")
        let line: [UInt8] = Array("X-B: na".utf8) + [0xEF] + Array("ve \r\n".utf8)
        #expect(line.withUnsafeBytes { parser.parse($0) } == .none)
        #expect(parse("").last == .head)
        #expect(parser.fields["X-A"] == "na\u{ef}ve" && parser.fields["X-B"] == "na\u{ef}ve")
    }
}
