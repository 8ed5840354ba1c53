import Foundation
import HTTPMessages
import Testing
import Transport

@testable import PatchbayTestKit

/// Behavior 9: streams and errors in recordings.
@Suite struct RecordingStreamTests {
    private let request: HTTPRequest

    init() throws { request = try HTTPRequest(.get, "https://shop.example.com/stream") }

    /// A transport whose body has these chunks, and an error perhaps.
    private struct Chunks: StreamingTransport {
        let chunks: [String]
        var error: TransportError.Code?

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await stream(request, observer: observer).collect()
        }

        func stream(
            _ request: HTTPRequest, observer: (any TransferObserver)?
        ) async throws -> HTTPResponseStream {
            let (chunks, error) = (chunks, error)
            let stream = AsyncThrowingStream<Data, any Error> { continuation in
                for chunk in chunks { continuation.yield(Data(chunk.utf8)) }
                continuation.finish(throwing: error.map { TransportError($0, "It broke.", request: request) })
            }
            return HTTPResponseStream(head: request.response().head, body: stream)
        }
    }

    private func saved(_ transport: RecordedTransport<Chunks>) throws -> Recording {
        try RecordingFile.recording(RecordingFile.data(of: Recording(transport.recorded)))
    }

    private func recorder(_ chunks: [String], _ error: TransportError.Code? = nil) -> RecordedTransport<Chunks> {
        Recording.transport(URL(filePath: "/nowhere/a.json"), mode: .record, over: Chunks(chunks: chunks, error: error))
    }

    private func read(_ stream: HTTPResponseStream) async throws -> (chunks: [String], error: TransportError?) {
        var chunks: [String] = []
        do {
            for try await chunk in stream.body { chunks.append(String(decoding: chunk, as: UTF8.self)) }
            return (chunks, nil)
        } catch let error as TransportError {
            return (chunks, error)
        }
    }

    @Test func `a stream is replayed in its chunks`() async throws {
        let recorder = recorder(["data: 1\n\n", "data: 2\n\n"])
        let live = try await read(recorder.stream(request))
        #expect(live.chunks.count == 2 && live.error == nil)
        let transport = try saved(recorder).transport(rules: RecordingRules { $0.exhaustion = .last })
        #expect(try await read(transport.stream(request)).chunks == live.chunks)
        #expect(try await transport.send(request).body == Data(live.chunks.joined().utf8))
    }

    @Test func `an error in a stream comes after the same chunks`() async throws {
        let recorder = recorder(["a", "b"], .connectionLost)
        _ = try await read(recorder.stream(request))
        let transport = try saved(recorder).transport(rules: RecordingRules { $0.exhaustion = .last })
        let (chunks, error) = try await read(transport.stream(request))
        #expect(chunks == ["a", "b"] && error?.code == .connectionLost && error?.message == "It broke.")
        let sent = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(sent?.code == .connectionLost && sent?.head?.status == .ok && sent?.bodyPrefix == Data("ab".utf8))
    }

    @Test func `a stream that its reader left ends there in a replay`() async throws {
        let recorder = recorder(["a", "b", "c"])
        for try await _ in try await recorder.stream(request).body { break }
        let transport = try saved(recorder).transport()
        let (chunks, error) = try await read(transport.stream(request))
        #expect(chunks == ["a"] && error?.code == .truncated)
    }

    @Test func `a stream without an end is recorded up to the limit, and not saved`() async throws {
        let rules = RecordingRules { $0.maximumBodyBytes = 3 }
        let transport = Recording.transport(
            URL(filePath: "/nowhere/a.json"), mode: .record, rules: rules, over: Chunks(chunks: ["ab", "cd", "ef"]))
        #expect(try await read(transport.stream(request)).chunks == ["ab", "cd", "ef"])
        #expect(transport.recorded.first?.chunks.isEmpty == true)
        let error = #expect(throws: RecordingError.self) { try transport.save() }
        #expect(error?.code == .bodyTooLarge)
    }

    @Test(arguments: TransportError.Code.known) func `each error is replayed with its code`(code: TransportError.Code)
        async throws
    {
        var error = TransportError(code, "It failed.", request: request, phase: .idle, tlsFailure: .hostMismatch)
        error.phase = .idle
        let file = try RecordingFile.data(of: Recording([Recording.Exchange(request, error)]))
        let transport = try RecordingFile.recording(file).transport()
        let replayed = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(replayed?.code == code && replayed?.message == "It failed." && replayed?.phase == .idle)
        #expect(replayed?.tlsFailure == .hostMismatch)
    }

    @Test func `a stream whose reader is cancelled ends there in a replay`() async throws {
        let recorder = recorder(["a"], .cancelled)
        _ = try await read(recorder.stream(request))
        let (chunks, error) = try await read(saved(recorder).transport().stream(request))
        #expect(chunks == ["a"] && error?.code == .truncated)
    }

    @Test func `an error after the head is recorded with the head and the start of the body`() async throws {
        var limited = request
        limited.options.maximumResponseBytes = 3
        let recorder = Recording.transport(
            URL(filePath: "/nowhere/a.json"), mode: .record, over: ScriptedTransport([.text("long")]))
        await #expect(throws: TransportError.self) { try await recorder.send(limited) }
        let transport = try RecordingFile.recording(RecordingFile.data(of: Recording(recorder.recorded))).transport()
        let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(error?.code == .responseTooLarge && error?.head?.status == .ok)
        #expect(error?.bodyPrefix == Data("long".utf8))
    }

    @Test func `an error of a stream that has not begun is thrown by a replay too`() async throws {
        let server = FakeTransport { request in
            let head = request.response(.found).head
            throw TransportError(
                .tooManyRedirects, "Too many redirects.", request: request, head: head, bodyPrefix: Data("x".utf8))
        }
        let recorder = Recording.transport(URL(filePath: "/nowhere/a.json"), mode: .record, over: server)
        await #expect(throws: TransportError.self) { _ = try await recorder.stream(request) }
        let transport = try RecordingFile.recording(RecordingFile.data(of: Recording(recorder.recorded))).transport()
        let error = await #expect(throws: TransportError.self) { _ = try await transport.stream(request) }
        #expect(error?.code == .tooManyRedirects)
    }

    @Test func `a live error is recorded`() async throws {
        let server = ScriptedTransport([.failure(.timedOut), .text("late")])
        let recorder = Recording.transport(URL(filePath: "/nowhere/a.json"), mode: .record, over: server)
        await #expect(throws: TransportError.self) { try await recorder.send(request) }
        _ = try await recorder.send(request)
        let transport = Recording(recorder.recorded).transport()
        let error = await #expect(throws: TransportError.self) { try await transport.stream(request) }
        #expect(error?.code == .timedOut)
        #expect(try await transport.send(request).body == Data("late".utf8))
    }
}
