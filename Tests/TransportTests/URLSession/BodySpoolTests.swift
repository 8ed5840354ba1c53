import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite("BodySpool", .needsSlot) struct BodySpoolTests {
    private let temporary = try? TemporaryFolder()

    private func folder() throws -> TemporaryFolder { try #require(temporary) }

    @Test("holds the bytes of a stream", arguments: BodyUpload.Means.allCases)
    func content(means: BodyUpload.Means) async throws {
        let pieces = [Data("cd".utf8), Data(), Data("ef".utf8)]
        let source = HTTPBody.sequence([.text("ab"), .stream(stream(pieces))])
        let spool = try await BodySpool(source, in: folder().url, for: means)
        #expect(spool.body.isReplayable && spool.body.length == 6)
        for _ in 0..<2 { #expect(try await spool.body.collect() == Data("abcdef".utf8)) }
        let reader = try #require(try spool.body.makeReader())
        #expect(try (0..<3).map { _ in try reader.read(atMost: 4) } == [Data("abcd".utf8), Data("ef".utf8), nil])
    }

    @Test("a file for an engine has a name as long as the spool lives") func name() async throws {
        let source = ClosureReader.pieces([Data("ab".utf8), Data("c".utf8)])
        let folder = try folder()
        do {
            let spool = try await BodySpool(source, in: folder.url, for: .files)
            let url = try #require(spool.file.url)
            #expect(try Data(contentsOf: url) == Data("abc".utf8) && folder.names == [url.lastPathComponent])
            #expect(BodyUpload(spool.body, by: .files) == .file(url))
        }
        #expect(try folder.names.isEmpty)
    }

    @Test("a file whose body fails is removed", arguments: BodyUpload.Means.allCases)
    func failure(means: BodyUpload.Means) async throws {
        let folder = try folder()
        // Ends with the first piece too many, not with a full disk.
        let endless = HTTPBody.generated(length: 100_000) { ClosureReader { Data(count: $0) } }
        await #expect(throws: BodySpool.Failure.self) {
            _ = try await BodySpool(endless, in: folder.url, for: means)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test(
        "any other file has none, not even while it is filled",
        arguments: BodyUpload.Means.allCases.filter { $0 != .files })
    func filling(means: BodyUpload.Means) async throws {
        let (bytes, continuation) = AsyncStream<Data>.makeStream()
        let folder = try folder()
        let gate = Gate()
        let source = HTTPBody.stream(
            bytes.map { bytes in
                gate.open()
                return bytes
            })
        let task = Task { try await BodySpool(source, in: folder.url, for: means) }
        continuation.yield(Data("abc".utf8))
        try await gate.wait()
        #expect(try folder.names.isEmpty)
        continuation.finish()
        #expect(try await task.value.body.length == 3)
        #expect(try folder.names.isEmpty)
    }

    @Test("of no bytes", arguments: BodyUpload.Means.allCases) func empty(means: BodyUpload.Means) async throws {
        let spool = try await BodySpool(.stream(stream([])), for: means)
        #expect(try await spool.body.collect().isEmpty && spool.body.length == 0 && !spool.body.isEmpty)
    }

    @Test("a length that is not true is an error", arguments: [0, 2, 4] as [Int64]) func length(length: Int64)
        async throws
    {
        let failure = await #expect(throws: BodySpool.Failure.self) {
            _ = try await BodySpool(.stream(stream([Data("abc".utf8)]), length: length), for: .platform)
        }
        guard case .body(let error as HTTPMessageError) = failure else {
            Issue.record("\(failure as Any)")
            return
        }
        #expect(error.code == .bodyLengthMismatch)
    }

    @Test("a full disk is an error of its own", .needsSmallDisk) func full() async throws {
        let disk = try SmallDisk(megabytes: 1)
        let transport = URLSessionTransport(configuration: .init(temporaryDirectory: disk.folder.url))
        let pieces = Array(repeating: bytes(256 << 10), count: 8)
        let request = try HTTPRequest(.post, "http://127.0.0.1:1/", body: .stream(stream(pieces)))
        let error = try await transportError { try await transport.send(request) }
        #expect(error.code == .temporaryStorage && (error.underlying as? POSIXError)?.code == .ENOSPC)
        #expect(error.message.hasPrefix("Disk full: ") && error.message.contains("temporaryDirectory"))
        #expect(try disk.folder.names.isEmpty)
    }

    @Test("a folder that is missing is an error of its own") func missing() async throws {
        let folder = try folder().url.appending(path: "missing")
        let transport = URLSessionTransport(configuration: .init(temporaryDirectory: folder))
        let request = try HTTPRequest(.post, "http://127.0.0.1:1/", body: .stream(stream([Data("x".utf8)])))
        let error = try await transportError { try await transport.send(request) }
        #expect(error.code == .temporaryStorage && (error.underlying as? POSIXError)?.code == .ENOENT)
    }

    @Test("what the stream throws is the body's failure") func source() async throws {
        let failing = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: POSIXError(.ENOSPC)) }
        let request = try HTTPRequest(.post, "http://127.0.0.1:1/", body: .stream(failing))
        let error = try await transportError { try await URLSessionTransport.shared.send(request) }
        #expect(error.code == .unreadableBody)
    }

    @Test(
        "leaves nothing behind, whatever the outcome of the call", arguments: ["success", "failure", "cancel"],
        BodyUpload.Means.sent)
    func gone(outcome: String, means: BodyUpload.Means) async throws {
        let plan: FaultPlan =
            switch outcome {
            case "success": [.answer(by: echo)]
            case "failure": [.reset]
            default: [.stall]
            }
        let folder = try folder()
        try await LoopbackServer(plan: { _ in plan }).stopping(after: { server in
            let transport = URLSessionTransport(configuration: .init(temporaryDirectory: folder.url), means: means)
            let request = try server.request(.post, body: .stream(stream([Data("abc".utf8)])))
            let call = Task { try await transport.send(request) }
            if outcome == "cancel" {
                try await server.requests(count: 1)
                #expect(try folder.names.count == (means == .files ? 1 : 0))
                call.cancel()
            }
            switch (outcome, await call.result) {
            case ("success", .success(let response)): #expect(response.body == Data("abc".utf8))
            case ("failure", .failure(let error as TransportError)): #expect(error.code == .connectionLost)
            case ("cancel", .failure(let error as TransportError)): #expect(error.code == .cancelled)
            case (_, let result): Issue.record("\(result)")
            }
            // The engine may read what was cancelled, or what it asks for again in vain, until it has ended its task.
            if outcome != "success", means == .files { try await eventually { try folder.names.isEmpty } }
            #expect(try folder.names.isEmpty)
        })
    }
}
