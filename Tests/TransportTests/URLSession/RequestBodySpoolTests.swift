import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct RequestBodySpoolTests {
    private let temporary = try? TemporaryFolder()

    private func folder() throws -> TemporaryFolder { try #require(temporary) }

    @Test(arguments: RequestBodyUpload.Support.allCases)
    func `contains the bytes of a stream`(support: RequestBodyUpload.Support) async throws {
        let pieces = [Data("cd".utf8), Data(), Data("ef".utf8)]
        let source = HTTPBody.sequence([.text("ab"), .stream(stream(pieces))])
        let spool = try await RequestBodySpool(source, in: folder().url, for: support)
        #expect(spool.body.isReplayable && spool.body.length == 6)
        for _ in 0..<2 { #expect(try await spool.body.collect() == Data("abcdef".utf8)) }
        let reader = try #require(try spool.body.makeReader())
        #expect(try (0..<3).map { _ in try reader.read(atMost: 4) } == [Data("abcd".utf8), Data("ef".utf8), nil])
    }

    @Test func `a file for the engine is named while the spool is retained`() async throws {
        let source = ClosureReader.pieces([Data("ab".utf8), Data("c".utf8)])
        let folder = try folder()
        do {
            let spool = try await RequestBodySpool(source, in: folder.url, for: .files)
            let url = try #require(spool.file.url)
            #expect(try Data(contentsOf: url) == Data("abc".utf8) && folder.names == [url.lastPathComponent])
            #expect(RequestBodyUpload(spool.body, for: .files) == .file(url))
        }
        #expect(try folder.names.isEmpty)
    }

    @Test(arguments: RequestBodyUpload.Support.allCases)
    func `the file of a failed body is deleted`(support: RequestBodyUpload.Support) async throws {
        let folder = try folder()
        // Ends with the first excess chunk, not with a full disk.
        let endless = HTTPBody.generated(length: 100_000) { ClosureReader { Data(count: $0) } }
        await #expect(throws: RequestBodySpool.Failure.self) {
            _ = try await RequestBodySpool(endless, in: folder.url, for: support)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test(arguments: RequestBodyUpload.Support.allCases.filter { $0 != .files })
    func `any other file is unlinked, even while it is being written`(support: RequestBodyUpload.Support) async throws {
        let (bytes, continuation) = AsyncStream<Data>.makeStream()
        let folder = try folder()
        let gate = Gate()
        let source = HTTPBody.stream(
            bytes.map { bytes in
                gate.open()
                return bytes
            })
        let task = Task { try await RequestBodySpool(source, in: folder.url, for: support) }
        continuation.yield(Data("abc".utf8))
        try await gate.wait()
        #expect(try folder.names.isEmpty)
        continuation.finish()
        #expect(try await task.value.body.length == 3)
        #expect(try folder.names.isEmpty)
    }

    @Test(arguments: RequestBodyUpload.Support.allCases) func `spools an empty body`(
        support: RequestBodyUpload.Support
    )
        async throws
    {
        let spool = try await RequestBodySpool(.stream(stream([])), for: support)
        #expect(try await spool.body.collect().isEmpty && spool.body.length == 0 && !spool.body.isEmpty)
    }

    @Test(arguments: [0, 2, 4] as [Int64]) func `a wrong declared length is an error`(length: Int64)
        async throws
    {
        let failure = await #expect(throws: RequestBodySpool.Failure.self) {
            _ = try await RequestBodySpool(.stream(stream([Data("abc".utf8)]), length: length), for: .platform)
        }
        guard case .body(let error as HTTPMessageError) = failure else {
            Issue.record("\(failure as Any)")
            return
        }
        #expect(error.code == .bodyLengthMismatch)
    }

    @Test(.needsSmallDisk) func `a full disk is a disk failure`() async throws {
        let disk = try SmallDisk(megabytes: 1)
        let transport = URLSessionTransport(configuration: .init(temporaryDirectory: disk.folder.url))
        let pieces = Array(repeating: bytes(256 << 10), count: 8)
        let request = try HTTPRequest(.post, "http://127.0.0.1:1/", body: .stream(stream(pieces)))
        let error = try await transportError { try await transport.send(request) }
        #expect(error.code == .temporaryStorage && (error.underlying as? POSIXError)?.code == .ENOSPC)
        #expect(error.message.hasPrefix("Disk full: ") && error.message.contains("temporaryDirectory"))
        #expect(try disk.folder.names.isEmpty)
    }

    @Test func `a missing folder is a disk failure`() async throws {
        let folder = try folder().url.appending(path: "missing")
        let transport = URLSessionTransport(configuration: .init(temporaryDirectory: folder))
        let request = try HTTPRequest(.post, "http://127.0.0.1:1/", body: .stream(stream([Data("x".utf8)])))
        let error = try await transportError { try await transport.send(request) }
        #expect(error.code == .temporaryStorage && (error.underlying as? POSIXError)?.code == .ENOENT)
    }

    @Test func `an error of the stream is a body failure`() async throws {
        let failing = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: POSIXError(.ENOSPC)) }
        let request = try HTTPRequest(.post, "http://127.0.0.1:1/", body: .stream(failing))
        let error = try await transportError { try await URLSessionTransport.shared.send(request) }
        #expect(error.code == .unreadableBody && error.message.hasSuffix("; see `underlying`."))
    }

    @Test(
        arguments: ["success", "failure", "cancel"],
        RequestBodyUpload.Support.allCases)
    func `leaves no file after success, failure and cancellation`(outcome: String, support: RequestBodyUpload.Support)
        async throws
    {
        let script: ServerScript =
            switch outcome {
            case "success": [.respond(with: echo)]
            case "failure": [.reset]
            default: [.stall]
            }
        let folder = try folder()
        try await LoopbackServer(script: { _ in script }).stopping(after: { server in
            let transport = URLSessionTransport(configuration: .init(temporaryDirectory: folder.url), support: support)
            let request = try server.request(.post, body: .stream(stream([Data("abc".utf8)])))
            let call = Task { try await transport.send(request) }
            if outcome == "cancel" {
                try await server.requests(count: 1)
                #expect(try folder.names.count == (support == .files ? 1 : 0))
                call.cancel()
            }
            switch (outcome, await call.result) {
            case ("success", .success(let response)): #expect(response.body == Data("abc".utf8))
            case ("failure", .failure(let error as TransportError)): #expect(error.code == .connectionLost)
            case ("cancel", .failure(let error as TransportError)): #expect(error.code == .cancelled)
            case (_, let result): Issue.record("\(result)")
            }
            // The engine may read the file of a cancelled or failed request until its task has completed.
            if outcome != "success", support == .files { try await folder.waitUntilEmpty() }
            #expect(try folder.names.isEmpty)
        })
    }
}
