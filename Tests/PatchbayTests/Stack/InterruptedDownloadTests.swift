import Foundation
import Patchbay
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

/// A download whose first response ends early, through a stack.
@Suite(.needsSlot) struct InterruptedDownloadTests {
    /// A server of one file whose first response is cut after a gate has opened.
    private struct Cutting: StreamingTransport {
        let content = Data("0123456789".utf8)
        let gate: Gate
        let requests = Watched<[HTTPRequest]>([])

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await stream(request, observer: observer).collect()
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            requests.update { $0.append(request) }
            let isRest = request.fields[.range] != nil
            var fields = try HTTPFields(["ETag": "\"1\"", "Content-Length": isRest ? "6" : "10"])
            if isRest { fields[.contentRange] = "bytes 4-9/10" }
            let status: HTTPStatus = isRest ? .partialContent : .ok
            var head = HTTPResponseHead(status: status, fields: fields, url: request.url)
            head.method = .get
            let chunks = AsyncThrowingStream<Data, any Error> { continuation in
                Task {
                    continuation.yield(isRest ? content.dropFirst(4) : content.prefix(4))
                    try await gate.wait()
                    guard !isRest else { return continuation.finish() }
                    continuation.finish(throwing: TransportError(.truncated, "Cut.", request: request))
                }
            }
            return HTTPResponseStream(head: head, body: chunks)
        }
    }

    private let gate = Gate()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-\(UUID().uuidString)")

    private func download(over stack: Stack, clock: ManualClock) async throws -> DownloadedFile {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let request = try HTTPRequest(.get, "https://example.com/file")
        return try await clock.autoAdvancing {
            try await stack.download(request, to: folder.appending(path: "file"), options: .retrying, clock: clock)
        }
    }

    @Test func `the rest is let in while the queue drains, which waits for it`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (queue, clock, engine) = (RequestQueue(), ManualClock(), Cutting(gate: gate))
        let stack = Stack.standard(over: engine, clock: clock).queued(in: queue)
        let call = Task { try await download(over: stack, clock: clock).byteCount }
        try await engine.requests.wait { $0.count == 1 }
        let executor = ObservedExecutor()
        let drained = Task(executorPreference: executor) { try await queue.drain() }
        try await executor.waitUntilIdle()
        #expect(queue.snapshot.isDraining)
        gate.open()
        #expect(try await call.value == 10)
        try await drained.value
        #expect(engine.requests.value.count == 2)
    }

    @Test func `the log says where a download continues`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        gate.open()
        let lines = Watched<[LogLine]>([])
        let monitor = EventMonitor([.log(.basic, to: .handler { line in lines.update { $0.append(line) } })])
        let clock = ManualClock()
        let stack = Stack.standard(over: Cutting(gate: gate), clock: clock).observing(by: monitor)
        #expect(try await download(over: stack, clock: clock).byteCount == 10)
        await monitor.flush()
        let texts = lines.value.map { $0.text.split(separator: " ", maxSplits: 1).last ?? "" }
        #expect(texts.count == 4, "\(texts)")
        #expect(texts.first == "> GET https://example.com/file")
        #expect(texts.dropFirst(2).first == "> GET https://example.com/file, continued at byte 4")
        #expect(texts.last?.hasPrefix("< 206 Partial Content, 6 bytes") == true)
    }
}
