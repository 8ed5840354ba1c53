import Foundation
import HTTPMessages
import Testing
import Transport

@testable import Queueing

@Suite struct AttemptResultRetryAfterTests {
    @Test(arguments: [
        ("0", 0), ("7", 7), ("007", 7), ("120", 120), ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60), ("Sun Nov  6 08:49:38 1994", 1), ("Sun, 06 Nov 1994 08:49:36 GMT", 0),
        ("Sun, 06 Nov 1904 08:49:36 GMT", 0), ("99999999999999999999999", 100 * 365 * 86_400),
        ("9223372036854775807", 100 * 365 * 86_400),
    ])
    func `seconds and dates`(text: String, seconds: Int) throws {
        let attempt = try finished(request(), .serviceUnavailable, fields: ["Retry-After": text])
        #expect(attempt.retryAfter == .seconds(seconds))
    }

    @Test(arguments: ["", "-1", "1.5", "soon", "1 s", "+1", "٣", "Sun, 31 Feb 1994 08:49:37 GMT", "1, 2"])
    func `invalid values are ignored`(text: String) throws {
        #expect(try finished(request(), .serviceUnavailable, fields: ["Retry-After": text]).retryAfter == nil)
    }

    @Test func `a response whose body was cut has its field`() throws {
        let head = HTTPResponseHead(
            status: .serviceUnavailable, fields: try HTTPFields(["Retry-After": "30"]),
            url: try URL(httpString: "http://h/"))
        let error = TransportError(.truncated, "Cut.", request: try request(), head: head)
        #expect(AttemptResult(try request(), outcome: .failure(error)).retryAfter == .seconds(30))
        let lost = TransportError(.connectionLost, "Lost.", request: try request())
        #expect(AttemptResult(try request(), outcome: .failure(lost)).retryAfter == nil)
    }

    @Test func `a date is compared with the server's own clock`() throws {
        let fields: KeyValuePairs = [
            "Retry-After": "Sat, 01 Jan 2000 00:00:05 GMT", "Date": "Sat, 01 Jan 2000 00:00:02 GMT",
        ]
        #expect(try finished(request(), .serviceUnavailable, fields: fields).retryAfter == .seconds(3))
    }

    @Test func `the first of several fields counts, and open circuits have a wait, too`() throws {
        let attempt = try finished(request(), .tooManyRequests, fields: ["Retry-After": "3", "retry-after": "4"])
        #expect(attempt.retryAfter == .seconds(3))
        let error = AdmissionError(.circuitOpen, "x", retryAfter: .seconds(-4))
        #expect(finished(try request(), error).retryAfter == .zero)
        #expect(finished(try request(), AdmissionError(.circuitOpen, "x")).retryAfter == nil)
    }
}
