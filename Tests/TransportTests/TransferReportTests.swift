import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct TransferReportTests {
    @Test func `a head has the measurements once its transfer has ended`() throws {
        var head = HTTPResponseHead(status: .ok, url: try #require(URL(string: "http://h/")))
        #expect(head.metrics == nil && head.transferReport == nil)
        let report = TransferReport()
        head.transferReport = report
        #expect(head.metrics == nil && report.trailers == nil)
        report.complete(TransferMetrics(total: .seconds(1)), trailers: try HTTPFields(["X": "y"]))
        #expect(head.metrics?.total == .seconds(1) && report.trailers?["X"] == "y" && head.trailers?["X"] == "y")
    }

    @Test(arguments: [("http/1.1", "1.1"), ("h2", "2"), ("H3", "3"), ("http/1.0", "1.0"), ("spdy/3", nil), (nil, nil)])
    func `names of protocols are versions`(_ name: String?, _ version: String?) {
        #expect(TransferMetrics.version(ofProtocol: name) == version)
    }

    @Test func `a transfer measures from its start in the engine`() throws {
        let request = try HTTPRequest(.post, "http://h/", body: .text("abc"))
        var machine = TransferState(request, now: .seconds(1))
        #expect(machine.metrics(now: .seconds(2)) == nil)
        machine.started(now: .seconds(10))
        _ = machine.bodySent(3, now: .seconds(11))
        let head = HTTPResponseHead(status: .ok, url: request.url)
        _ = machine.headReceived(head, expected: 5, now: .seconds(13))
        _ = machine.bodyReceived(Data("hello".utf8), now: .seconds(14))
        #expect(
            machine.metrics(now: .seconds(15))
                == TransferMetrics(
                    sent: .seconds(1), firstByte: .seconds(3), total: .seconds(5), bytesSent: 3, bytesReceived: 5))
    }

    @Test func `an engine that measures until its end is waited for`() throws {
        let request = try HTTPRequest(.get, "http://h/")
        let head = HTTPResponseHead(status: .ok, url: request.url)
        for waits in [false, true] {
            var machine = TransferState(request, waitsForEnd: waits, now: .zero)
            _ = machine.headReceived(head, expected: 1, now: .zero)
            #expect((machine.bodyReceived(Data([1]), now: .zero).outcome == nil) == waits)
            #expect((machine.completed().outcome == nil) == !waits)
        }
    }

    @Test func `a streamed response has its measurements at its end`() async throws {
        try await LoopbackServer { $0.response(text: "hello") }.stopping { server in
            let response = try await URLSessionTransport().stream(HTTPRequest(.get, server.url(of: "/")))
            let size = try await response.body.collect().count
            let metrics = try #require(response.head.metrics)
            #expect(metrics.bytesReceived == Int64(size) && metrics.total >= metrics.firstByte ?? .zero)
        }
    }
}
