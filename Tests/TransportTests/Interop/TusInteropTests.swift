import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot, .enabled(if: InteropServer.tus.origin != nil, "PATCHBAY_TUS is not set."))
struct TusInteropTests {
    private let server = InteropServer.tus
    private let transport = URLSessionTransport()
    private static let content = bytes(3 << 20)
    /// This server responds with 400 to a question for the offset of an upload without these.
    private static let metadata = ["filename": "film ä.mp4", "filetype": "video/mp4"]

    private func endpoint() throws -> URL {
        let origin = try #require(server.origin)
        return try #require(URL(string: origin + "/files"))
    }

    /// The content that the server has of an upload.
    private func stored(_ upload: URL) async throws -> Data {
        try await transport.send(server.request(.get, "/stored/\(upload.lastPathComponent)")).body
    }

    @Test(arguments: [nil, 1 << 20] as [Int64?])
    func `12: fills an upload, in one part and in several`(part: Int64?) async throws {
        let base = CutTransport(base: transport)
        let options = UploadOptions {
            $0.maximumPartBytes = part
            $0.metadata = Self.metadata
        }
        let file = try TemporaryFile(Self.content)
        let response = try await base.upload(.file(at: file.url), to: endpoint(), resuming: .tus, options: options)
        #expect(response.status.isSuccessful)
        #expect(base.methods == ["POST"] + [String](repeating: "PATCH", count: part == nil ? 1 : 3))
        #expect(try await stored(#require(base.upload)) == Self.content)
    }

    @Test func `12: sends the rest after cuts, and in a later launch`() async throws {
        let base = CutTransport(base: transport, cuts: [1_000_000, 500_000])
        let file = try TemporaryFile(Self.content)
        let folder = try TemporaryFolder()
        let options = UploadOptions {
            $0.record = folder.url.appending(path: "record")
            $0.metadata = Self.metadata
            $0.maximumAttempts = 1
        }
        for _ in 0..<2 {
            await #expect(throws: TransportError.self) {
                try await base.upload(.file(at: file.url), to: endpoint(), resuming: .tus, options: options)
            }
        }
        try await base.upload(.file(at: file.url), to: endpoint(), resuming: .tus, options: options)
        #expect(base.methods == ["POST", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"])
        #expect(try await stored(#require(base.upload)) == Self.content)
        #expect(try folder.names.isEmpty)
    }

    @Test func `12: asks for the offset that a lost response has not told`() async throws {
        let base = CutTransport(base: transport, cuts: [Int64(Self.content.count)])
        try await base.upload(
            .bytes(Self.content), to: endpoint(), resuming: .tus, options: UploadOptions { $0.metadata = Self.metadata }
        )
        #expect(base.methods == ["POST", "PATCH", "HEAD"])
        #expect(try await stored(#require(base.upload)) == Self.content)
    }

    @Test func `12: joins parts`() async throws {
        let parts = stride(from: 0, to: Self.content.count, by: 1 << 20).map {
            HTTPBody.bytes(Self.content.dropFirst($0).prefix(1 << 20))
        }
        let response = try await transport.upload(joining: parts, to: endpoint())
        let location = try #require(response.head.fields[.location].flatMap { URL(string: $0) })
        #expect(try await stored(location) == Self.content)
    }

    @Test func `12: an upload that the server has removed starts over`() async throws {
        let base = CutTransport(base: transport, cuts: [1_000_000])
        let folder = try TemporaryFolder()
        let options = UploadOptions {
            $0.record = folder.url.appending(path: "record")
            $0.metadata = Self.metadata
            $0.maximumAttempts = 1
        }
        await #expect(throws: TransportError.self) {
            try await base.upload(.bytes(Self.content), to: endpoint(), resuming: .tus, options: options)
        }
        var request = try HTTPRequest(.delete, #require(base.upload))
        request.fields["Tus-Resumable"] = "1.0.0"
        #expect(try await transport.send(request).status == .noContent)
        try await base.upload(.bytes(Self.content), to: endpoint(), resuming: .tus, options: options)
        #expect(base.methods == ["POST", "PATCH", "HEAD", "POST", "PATCH"])
        #expect(try await stored(#require(base.upload)) == Self.content)
    }
}

/// Loses the connection after some bytes of the next parts.
private final class CutTransport: Transport {
    private struct State {
        var cuts: [Int64]
        var methods: [String] = []
        var upload: URL?
    }

    private let base: URLSessionTransport
    private let state: Mutex<State>

    init(base: URLSessionTransport, cuts: [Int64] = []) {
        self.base = base
        state = Mutex(State(cuts: cuts))
    }

    var methods: [String] { state.withLock(\.methods) }
    var upload: URL? { state.withLock(\.upload) }

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let cut = state.withLock { state in
            state.methods.append(request.method.name)
            if request.method != .post { state.upload = request.url }
            return request.method == .patch && !state.cuts.isEmpty ? state.cuts.removeFirst() : nil
        }
        guard let cut else { return try await base.send(request, observer: observer) }
        var part = request
        let all = try await request.body.collect()
        try part.setBody(.bytes(all.prefix(Int(cut))))
        _ = try await base.send(part)
        throw TransportError(.connectionLost, "Cut.", request: request)
    }
}
