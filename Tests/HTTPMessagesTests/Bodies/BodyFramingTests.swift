import HTTPMessages
import Testing

@Suite struct BodyFramingTests {
    private static let valid: [([(String, String)], BodyFraming)] = [
        ([], .untilClosed),
        ([("Content-Length", "5")], .length(5)),
        ([("Content-Length", "0")], .length(0)),
        ([("Content-Length", "005")], .length(5)),
        ([("content-length", " 5\t")], .length(5)),
        ([("Content-Length", "999999999999999999")], .length(999_999_999_999_999_999)),
        ([("Content-Length", "9223372036854775807")], .length(.max)),
        ([("Content-Length", "5, 5")], .length(5)),
        ([("Content-Length", "5"), ("Content-Length", "5")], .length(5)),
        ([("Transfer-Encoding", "chunked")], .chunked),
        ([("Transfer-Encoding", " Chunked ")], .chunked),
        ([("Transfer-Encoding", "identity")], .untilClosed),
        // Transfer-Encoding overrides Content-Length.
        ([("Transfer-Encoding", "chunked"), ("Content-Length", "5")], .chunked),
        ([("Content-Length", "5x"), ("Transfer-Encoding", "chunked")], .chunked),
    ]

    @Test(arguments: valid.indices) func `a valid framing is read`(index: Int) throws {
        let (lines, expected) = Self.valid[index]
        #expect(BodyFraming(try fields(lines)) == expected, "\(lines)")
    }

    private static let invalid: [([(String, String)], String)] = [
        ([("Content-Length", "")], "Response has an invalid Content-Length (\"\")"),
        ([("Content-Length", "+5")], "Response has an invalid Content-Length (\"+5\")"),
        ([("Content-Length", "-1")], "Response has an invalid Content-Length (\"-1\")"),
        ([("Content-Length", "5x")], "Response has an invalid Content-Length (\"5x\")"),
        ([("Content-Length", "5 5")], "Response has an invalid Content-Length (\"5 5\")"),
        ([("Content-Length", "\u{665}")], "Response has an invalid Content-Length (\"\u{665}\")"),
        (
            [("Content-Length", "9223372036854775808")],
            "Response has an invalid Content-Length (\"9223372036854775808\")"
        ),
        ([("Content-Length", "5, 6")], "Response has several values of Content-Length"),
        ([("Content-Length", "5,")], "Response has several values of Content-Length"),
        ([("Content-Length", "5"), ("Content-Length", "6")], "Response has several values of Content-Length"),
        (
            [("Transfer-Encoding", "gzip, chunked")],
            "Response has a transfer coding that was not requested (\"gzip, chunked\")"
        ),
        (
            [("Transfer-Encoding", "xchunked"), ("Content-Length", "5")],
            "Response has a transfer coding that was not requested (\"xchunked\")"
        ),
        (
            [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
            "Response has a transfer coding that was not requested (\"chunked, chunked\")"
        ),
    ]

    @Test(arguments: invalid.indices) func `a framing without a reliable end is invalid`(index: Int) throws {
        let (lines, problem) = Self.invalid[index]
        #expect(BodyFraming(try fields(lines)) == .invalid(problem), "\(lines)")
    }

    @Test func `a long value is cut off in the text`() throws {
        let digits = String(repeating: "9", count: 100_000)
        guard case .invalid(let problem) = BodyFraming(try fields([("Content-Length", digits)])) else {
            Issue.record("valid")
            return
        }
        #expect(problem.count < 100)
    }

    @Test func `HTTP/2 has no transfer codings`() throws {
        let fields = try fields([("Transfer-Encoding", "x"), ("Content-Length", "5")])
        #expect(BodyFraming(fields, isHTTP2: true) == .length(5))
    }

    @Test(arguments: [
        ("Transfer-Encoding ", true), ("content-length\t", true), (" Content-Length", true), ("Content-Length", false),
        ("transfer-encoding", false), ("X-Length ", false), ("", false), (" ", false),
    ])
    func `only whitespace around the name of a framing field misleads`(name: String, isMisread: Bool) {
        #expect(BodyFraming.isMisread(name) == isMisread)
    }

    private func fields(_ lines: [(String, String)]) throws -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in lines { try fields.append(name, value) }
        return fields
    }
}
