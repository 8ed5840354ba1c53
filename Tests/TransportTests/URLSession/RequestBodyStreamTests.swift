import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct RequestBodyStreamTests {
    /// Created for each test, because a stream can be sent only once.
    private static var cases: [(name: String, body: HTTPBody)] {
        [
            ("fewer bytes than stated", ClosureReader.pieces([Data("ab".utf8)], length: 5)),
            ("no bytes where some were stated", ClosureReader.pieces([], length: 5)),
            ("more bytes than stated, at once", ClosureReader.pieces([Data("abcdef".utf8)], length: 5)),
            ("more bytes than stated, later", ClosureReader.pieces([Data("abcde".utf8), Data("f".utf8)], length: 5)),
            ("a piece longer than asked for", .generated { ClosureReader { Data(count: $0 + 1) } }),
            ("an empty piece", ClosureReader.pieces([Data("ab".utf8), Data(), Data("c".utf8)])),
            ("a reader that fails", .generated { ClosureReader { _ in throw URLError(.cannotOpenFile) } }),
            ("a reader that cannot be made", .generated { throw URLError(.cannotOpenFile) }),
            ("a stream with fewer bytes", .stream(stream([Data("ab".utf8)]), length: 5)),
            ("a stream with more bytes", .stream(stream([Data("abcdef".utf8)]), length: 5)),
            ("a stream that fails", .stream(AsyncThrowingStream { $0.finish(throwing: URLError(.badURL)) })),
        ]
    }

    @Test(
        arguments: cases.indices,
        RequestBodyUpload.Support.allCases)
    func `a body with a wrong length or an error fails the request`(index: Int, support: RequestBodyUpload.Support)
        async throws
    {
        let (name, body) = Self.cases[index]
        for method in [HTTPMethod.post, .put] where body.isReplayable || method == .post {
            try await withServer(support: support) { server, transport in
                let error = try await transportError { try await transport.send(server.request(method, body: body)) }
                #expect(error.code == .unreadableBody, "\(name): \(error)")
                #expect(error.underlying != nil, "\(name)")
                #expect(server.requestCount == 0, "\(name)")
                // Connection, slot and session remain usable.
                #expect(try await transport.send(server.request(.post, body: .text("x"))).body == Data("x".utf8))
            }
        }
    }

    @Test(arguments: RequestBodyUpload.Support.allCases)
    func `a file that shrinks or is deleted before it is sent fails the request`(support: RequestBodyUpload.Support)
        async throws
    {
        try await withServer(support: support) { server, transport in
            let file = try TemporaryFile(bytes(100_000))
            let body = try HTTPBody.file(at: file.url)
            try bytes(50_000).write(to: file.url)
            let shrunk = try await transportError { try await transport.send(server.request(.put, body: body)) }
            #expect(shrunk.code == .unreadableBody)
            try FileManager.default.removeItem(at: file.url)
            let gone = try await transportError { try await transport.send(server.request(.put, body: body)) }
            #expect(gone.code == .unreadableBody)
            #expect((gone.underlying as? HTTPMessageError)?.code == .unreadableFile)
            #expect(server.requestCount == 0)
        }
    }

    @Test(arguments: RequestBodyUpload.Support.allCases)
    func `a file that grows is sent up to the declared length`(support: RequestBodyUpload.Support) async throws {
        try await withServer(support: support) { server, transport in
            let file = try TemporaryFile(bytes(100_000))
            let body = try HTTPBody.file(at: file.url)
            try (bytes(100_000) + Data("more".utf8)).write(to: file.url)
            #expect(try await transport.send(server.request(.put, body: body)).body == bytes(100_000))
        }
    }

    @Test(arguments: RequestBodyUpload.Support.allCases)
    func `a stream is sent only once`(support: RequestBodyUpload.Support) async throws {
        try await withServer(support: support) { server, transport in
            let request = try server.request(.post, body: .stream(stream([Data("a".utf8)])))
            #expect(try await transport.send(request).body == Data("a".utf8))
            let error = try await transportError { try await transport.send(request) }
            #expect(error.code == .unreadableBody)
            #expect((error.underlying as? HTTPMessageError)?.code == .bodyAlreadyRead)
            #expect(error.message.hasPrefix("Request body could not be read to its end: "))
            #expect(error.message.contains("use bytes or a file"))
        }
    }

    #if !canImport(Darwin)
        @Test func `returns 0 once at the end, then an error`() throws {
            let transfer = Transfer(
                try HTTPRequest(.post, "http://a/", body: .text("abc")),
                timers: TimerQueue(AnyMonotonicClock(ManualClock())))
            let stream = try RequestBodyStream(transfer)
            stream.open()
            #expect(stream.streamStatus == .open && stream.hasBytesAvailable)
            var buffer = [UInt8](repeating: 0, count: 2)
            #expect((0..<5).map { _ in stream.read(&buffer, maxLength: 2) } == [2, 1, 0, -1, -1])
            stream.close()
            #expect(stream.read(&buffer, maxLength: 2) == -1)
            #expect(!transfer.isFinished)
        }
    #endif
}
