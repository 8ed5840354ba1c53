import Foundation
import HTTPMessages
import Testing
import Transport

@testable import PatchbayTestKit

@Suite struct FaultOutcomeTests {
    /// The outcome of a call: a code with its phase, or a status with a body.
    private static func end(_ fault: Fault, _ timeouts: Timeouts, body: String) throws -> String {
        let request = try HTTPRequest(.get, "http://a/", options: RequestOptions(timeouts: timeouts))
        let outcome = fault.outcome(of: request.response(text: body), for: request)
        let delay = outcome.delay.map { " after \($0)" } ?? " never"
        switch outcome.result {
        case .success(let response):
            return "\(response.status.code) \(String(decoding: response.body, as: UTF8.self))\(delay)"
        case .failure(let error):
            let parts = [
                "\(error.code)", error.phase.map { "\($0)" }, error.head.map { "\($0.status.code)" },
                error.bodyPrefix.isEmpty ? nil : String(decoding: error.bodyPrefix, as: UTF8.self),
            ]
            return parts.compactMap(\.self).joined(separator: " ") + delay
        }
    }

    private static let timeouts = Timeouts(response: .seconds(3), idle: .seconds(2), total: .seconds(9))

    @Test(
        arguments: [
            (.latency(.seconds(2)), "200 abcdef after 2.0 seconds"),
            (.latency(.seconds(3)), "timedOut response after 3.0 seconds"),
            (.reset(.beforeHead), "connectionLost after 0.0 seconds"),
            (.reset(.inHead), "connectionLost after 0.0 seconds"),
            (.reset(.inBody), "connectionLost 200 abc after 0.0 seconds"),
            (.close(.beforeHead), "connectionLost after 0.0 seconds"),
            (.close(.inHead), "connectionLost after 0.0 seconds"),
            (.close(.inBody), "truncated 200 abc after 0.0 seconds"),
            (.stall(.beforeHead), "timedOut response after 3.0 seconds"),
            (.stall(.inHead), "timedOut response after 3.0 seconds"),
            (.stall(.inBody), "timedOut idle after 2.0 seconds"),
            (.drip(size: 2, every: .seconds(1)), "200 abcdef after 2.0 seconds"),
            (.drip(size: 0, every: .seconds(1)), "200 abcdef after 5.0 seconds"),
            (.drip(size: 5, every: .seconds(2)), "timedOut idle after 2.0 seconds"),
            (.drip(size: 1, every: .milliseconds(1800)), "timedOut total after 9.0 seconds"),
            (.overstatedLength, "truncated 200 abcdef after 0.0 seconds"),
            (.understatedLength, "200 abc after 0.0 seconds"),
            (.status(.serviceUnavailable), "503  after 0.0 seconds"),
        ] as [(Fault, String)])
    func `the outcome of each fault`(fault: Fault, expected: String) throws {
        #expect(try Self.end(fault, Self.timeouts, body: "abcdef") == expected)
    }

    @Test func `a timeout names what was set, of which a part may have passed`() throws {
        var options = RequestOptions(timeouts: Timeouts(response: nil, total: .seconds(30)))
        options.timeouts.reduceTotal(to: .seconds(3))
        let request = try HTTPRequest(.get, "http://a/", options: options)
        let outcome = Fault.stall(.beforeHead).outcome(of: request.response(text: ""), for: request)
        let error = #expect(throws: TransportError.self) { try outcome.result.get() }
        #expect(outcome.delay == .seconds(3) && error?.timeout == .seconds(30))
        #expect(error?.message == "Timed out after 30.0 s.")
    }

    @Test(
        arguments: [
            .reset(.inBody), .close(.inBody), .stall(.inBody), .drip(size: 1, every: .seconds(5)), .overstatedLength,
            .understatedLength,
        ] as [Fault])
    func `a fault in the body has no effect without a body`(fault: Fault) throws {
        #expect(try Self.end(fault, Self.timeouts, body: "") == "200  after 0.0 seconds")
    }

    @Test(arguments: Fault.Position.allCases) func `a stall without timeouts does not end`(
        position: Fault.Position
    )
        throws
    {
        let end = try Self.end(.stall(position), Timeouts(response: nil, idle: nil), body: "abcdef")
        #expect(end == "200 abcdef never")
    }
}
