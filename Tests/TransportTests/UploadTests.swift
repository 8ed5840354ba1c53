import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct UploadTests {
    private static let size = 5 << 20
    private static let bodies = ["file", "part of a file", "generated", "stream", "stream of known length", "sequence"]

    private func body(_ kind: String, _ source: Data, in file: URL) throws -> HTTPBody {
        let pieces = stride(from: 0, to: source.count, by: 100_000).map { source.dropFirst($0).prefix(100_000) }
        switch kind {
        case "file": return try .file(at: file)
        case "part of a file": return try .file(at: file, range: 10..<Int64(source.count))
        case "generated":
            // At most the size of an engine's read.
            return ClosureReader.pieces(
                stride(from: 0, to: source.count, by: 4_999).map { source.dropFirst($0).prefix(4_999) })
        case "stream": return .stream(stream(pieces))
        case "stream of known length": return .stream(stream(pieces), length: Int64(source.count))
        default: return .sequence([.bytes(source.prefix(7)), .stream(stream([source.dropFirst(7)]))])
        }
    }

    @Test(arguments: bodies, RequestBodyUpload.Support.allCases)
    func `bodies of every kind arrive complete, framed and counted`(kind: String, support: RequestBodyUpload.Support)
        async throws
    {
        let source = bytes(Self.size)
        let file = try TemporaryFile(source)
        try await withServer(support: support) { server, transport in
            let log = EventLog()
            let body = try body(kind, source, in: file.url)
            let expected = kind == "part of a file" ? source.dropFirst(10) : source
            let response = try await transport.send(server.request(.put, body: body), observer: log)
            #expect(response.body == expected)
            let request = try #require(server.requests.first)
            // A spooled body has a known length.
            let isChunked = kind == "generated" && support != .files
            #expect(request.fields[.contentLength] == (isChunked ? nil : "\(expected.count)"))
            #expect(request.fields[.transferEncoding]?.lowercased() == (isChunked ? "chunked" : nil))
            let counts = log.events.compactMap {
                if case .sentBytes(let count, let total) = $0 { (count, total) } else { nil }
            }
            #expect(counts.last?.0 == Int64(expected.count))
            #expect(counts.allSatisfy { $0.1 == body.length } && counts.map(\.0) == counts.map(\.0).sorted())
        }
    }

    /// Chunks that count their live instances.
    private final class Herd: Sendable {
        private let state = Mutex((alive: 0, most: 0))
        var most: Int { state.withLock(\.most) }
        var alive: Int { state.withLock(\.alive) }

        func piece(_ count: Int) throws -> Data {
            guard let memory = calloc(count, 1) else { throw POSIXError(.ENOMEM) }
            state.withLock { state in
                state.alive += 1
                state.most = max(state.most, state.alive)
            }
            return Data(
                bytesNoCopy: memory, count: count,
                deallocator: .custom { memory, _ in
                    free(memory)
                    self.state.withLock { $0.alive -= 1 }
                })
        }
    }

    @Test(arguments: ["stream", "generated"], RequestBodyUpload.Support.allCases)
    func `at most two chunks are in memory`(kind: String, support: RequestBodyUpload.Support) async throws {
        let herd = Herd()
        let count = Mutex(0)
        let next = { @Sendable () throws -> Data? in
            guard
                count.withLock({
                    $0 += 1; return $0 <= 40
                })
            else { return nil }
            return try herd.piece(32_000)
        }
        let body: HTTPBody =
            kind == "stream"
            ? .stream(AsyncThrowingStream<Data, any Error>(unfolding: { try next() }), length: 1_280_000)
            : .generated(length: 1_280_000) { ClosureReader { _ in try next() } }
        try await withServer(support: support) { server, transport in
            let response = try await transport.send(server.request(.put, body: body))
            #expect(response.body == Data(count: 1_280_000))
        }
        #expect((1...2).contains(herd.most) && herd.alive == 0)
    }

    @Test(.needsSmallDisk) func `a full disk while spooling a stream is an error`() async throws {
        let disk = try SmallDisk(megabytes: 1)
        try await LoopbackServer.serving(echo) { server in
            let transport = URLSessionTransport(
                configuration: .init(temporaryDirectory: disk.folder.url), clock: ManualClock())
            let body = HTTPBody.stream(stream([Data](repeating: Data(count: 100_000), count: 20)))
            let error = try await transportError { try await transport.send(server.request(.put, body: body)) }
            #expect(error.code == .temporaryStorage && error.underlying != nil && server.requestCount == 0)
            #expect(try disk.folder.names.isEmpty)
        }
    }
}
