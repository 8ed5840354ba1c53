import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct ProgressTests {
    private let body = Data(repeating: 1, count: 200_000)

    @Test func `S24: download progress goes from 0 to 1 in bytes`() async throws {
        try await LoopbackServer { $0.response(body: body) }.stopping { server in
            let request = try SDMSession.test().get(server)
            let log = ProgressLog()
            request.setDownloadProgressDelegate(log)
            #expect(await request.ended() == nil)
            try await log.finished()
            #expect(log.fractions.first == 0 && log.fractions.last == 1)
            #expect(log.fractions == log.fractions.sorted())
            #expect(log.bytes == 200_000 && log.size == 200_000 && request.contentLength == 200_000)
        }
    }

    @Test func `S24: on the main queue, progress that is not delivered yet is joined`() async throws {
        try await LoopbackServer { $0.response(body: body) }.stopping { server in
            let request = try SDMSession.test { $0.delivery = .main }.get(server)
            let log = ProgressLog()
            request.setDownloadProgressDelegate(log)
            #expect(await request.ended() == nil)
            try await log.finished()
            #expect(log.fractions.first == 0 && log.bytes == 200_000 && log.size == 200_000)
        }
    }

    @Test func `S24: a body of unknown length is one unit at the end`() async throws {
        for isAccurate in [true, false] {
            try await LoopbackServer { request in
                let fields = isAccurate ? try HTTPFields(["Transfer-Encoding": "chunked"]) : HTTPFields()
                return request.response(fields: fields, body: body)
            }.stopping { server in
                let request = try SDMSession.test().get(server)
                request.setShowAccurateProgress(isAccurate)
                let log = ProgressLog()
                request.downloadProgressDelegate = log
                #expect(await request.ended() == nil)
                try await log.finished()
                #expect(log.size == 1 && log.bytes == 1 && log.fractions == [0, 1])
            }
        }
    }

    @Test func `S24: an attempt after a lost connection takes the progress back`() async throws {
        let fields = ["Content-Length": "8"]
        let request = SDMSession.test(InterruptedTransport(fields, "half", then: fields, "complete"))
            .get(URL(string: "http://example.com/"))
        let log = ProgressLog()
        request.downloadProgressDelegate = log
        #expect(await request.ended() == nil && request.responseString == "complete" && request.retryCount == 1)
        #expect(log.bytes == 8 && log.size == 8 && log.log.value.contains(.received(-4)))
        #expect(log.fractions == [0, 0.5, 0, 1])
    }

    @Test func `S24, S25: a cached response completes the progress of both directions`() async throws {
        let transport = ScriptedTransport([.response(fields: try HTTPFields(["Cache-Control": "max-age=60"]))])
        let session = SDMSession.test(transport)
        let queue = SDMNetworkQueue(session: session)
        let logs = [ProgressLog(), ProgressLog()]
        (queue.uploadProgressDelegate, queue.downloadProgressDelegate) = (logs[0], logs[1])
        for _ in 0..<2 {
            let request = session.get(URL(string: "http://example.com/"))
            request.downloadCache = session.downloadCache
            queue.addOperation(request)
        }
        queue.maxConcurrentOperationCount = 1
        queue.startBatch()
        try await queue.waitUntilFinished()
        #expect(transport.requests.count == 1)
        for log in logs { #expect(log.bytes == 2 && log.size == 2 && log.fractions.last == 1) }
    }

    @Test(arguments: [10, 64 << 10, 1 << 20]) func `S25: upload progress ends at 1`(count: Int) async throws {
        try await LoopbackServer { $0.response() }.stopping { server in
            let request = try SDMSession.test().get(server)
            let log = ProgressLog()
            request.setUploadProgressDelegate(log)
            request.appendPost(Data(count: count))
            #expect(await request.ended() == nil)
            try await log.finished()
            #expect(log.fractions.first == 0 && log.bytes == log.size)
            // The bytes of the first send buffer are taken back from the size, unless the first event, which may be the
            // sum of several, has the whole body.
            let least = count > 128 << 10 ? count - 128 << 10 : count
            let buffers = Int64(least)...Int64(count)
            #expect(buffers.contains(log.size))
            #expect(request.totalBytesSent == Int64(count))
            request.removeUploadProgressSoFar()
            try await log.log.wait { $0.last == .fraction(0) }
            #expect(log.bytes == 0)
        }
    }

    @Test func `without resets, neither sizes nor zeros are reported`() async throws {
        try await LoopbackServer { $0.response(body: body) }.stopping { server in
            let request = try SDMSession.test().get(server)
            request.shouldResetDownloadProgress = false
            let log = ProgressLog()
            request.downloadProgressDelegate = log
            await request.ended()
            try await log.finished()
            #expect(log.size == 0 && log.bytes == 200_000 && !log.fractions.contains(0))
        }
    }

    /// A progress view without the protocol.
    private final class Bar: SelectorTarget, Sendable {
        let values = Watched<[Float]>([])
        static var selectors: SelectorTable { [.method("setProgress:", Bar.setProgress)] }
        func setProgress(_ value: Float) { values.update { $0.append(value) } }
    }

    @Test func `S14: an object with setProgress: is a progress delegate`() async throws {
        try await LoopbackServer { $0.response(body: body) }.stopping { server in
            let request = try SDMSession.test().get(server)
            let bar = Bar()
            request.downloadProgressDelegate = bar
            await request.ended()
            try await bar.values.wait { $0.last == 1 }
        }
    }

    @Test func `progress is a sequence too`() async throws {
        try await LoopbackServer { $0.response(body: body) }.stopping { server in
            let request = try SDMSession.test().get(server)
            let updates = request.progressUpdates
            request.startAsynchronous()
            var last: TransferProgress?
            for await progress in updates { last = progress }
            #expect(last?.completed == 200_000 && last?.fraction == 1 && request.complete)
        }
    }
}
