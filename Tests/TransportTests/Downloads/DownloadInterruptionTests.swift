import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

/// What interrupts a download that has bytes, and what makes it start over.
@Suite(.needsSlot) struct DownloadInterruptionTests {
    private static let content = bytes(100_000)
    private let folder = try? TemporaryFolder()
    private let shelf = FileShelf(content)
    private let clock = ManualClock()

    private var target: URL {
        get throws { try #require(folder).url.appending(path: "file") }
    }

    private func request() throws -> HTTPRequest { try HTTPRequest(.get, "http://h/file") }

    /// A transport whose requests fail with the next code, if there is one.
    private struct Failing<Base: StreamingTransport>: StreamingTransport {
        let base: Base
        let codes: Shared<[TransportError.Code?]>

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await base.send(request, observer: observer)
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            if let code = codes.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                throw TransportError(code, "No network.", request: request)
            }
            return try await base.stream(request, observer: observer)
        }
    }

    private func failing(_ codes: TransportError.Code?...) -> some StreamingTransport {
        Failing(base: Breaking(ServiceTransport(shelf), after: 40_000), codes: Shared(codes))
    }

    @Test(arguments: [TransportError.Code.hostNotFound, .proxy, .unknown])
    func `a download that has bytes continues after a network that was lost, also in the next call`(
        code: TransportError.Code
    ) async throws {
        let transport = failing(nil, code, code)
        let file = try await clock.autoAdvancing {
            try await transport.download(request(), to: target, options: .retrying, clock: clock)
        }
        #expect(try Data(contentsOf: target) == Self.content && file.byteCount == 100_000)
        #expect(shelf.ranges == [nil, "bytes=40000-"])
        let next = failing(nil, code)
        await #expect(throws: TransportError.self) {
            try await next.download(request(), to: target, options: DownloadOptions(resumes: true))
        }
        let rest = try await clock.autoAdvancing {
            try await next.download(request(), to: target, options: .retrying, clock: clock)
        }
        #expect(rest.resumedBytes == 40_000 && shelf.ranges.suffix(2) == [nil, "bytes=40000-"])
    }

    @Test func `the error of a download that is interrupted again and again has all attempts`() async throws {
        let transport = failing(nil, .connectionLost, .connectionLost)
        let options = DownloadOptions(resumes: true, maximumAttempts: 3)
        let error = try await transportError {
            try await clock.autoAdvancing {
                try await transport.download(request(), to: target, options: options, clock: clock)
            }
        }
        #expect(error.attempts.map(\.backoff) == [.milliseconds(200), .milliseconds(400), nil])
        #expect(error.attempts.map(\.cause).first == .failure(.connectionLost, "It broke off."))
        #expect(error.description.contains("No network, after 3 attempts with 0.6 s of backoff."))
    }

    @Test func `a download from a host that is not found ends at once`() async throws {
        let transport = failing(.hostNotFound)
        let error = try await transportError {
            try await transport.download(request(), to: target, options: .retrying, clock: clock)
        }
        #expect(error.code == .hostNotFound && shelf.ranges.isEmpty)
    }

    /// The error of a layer, such as of a check of a `Content-Digest` that a part does not have.
    private struct Refusal: StatusCarrying { let responseStatus: HTTPStatus? }

    private enum Moment { case request, head, end }

    /// A layer that refuses requests, the heads of parts, or bodies at their ends.
    private struct Refusing<Base: StreamingTransport>: StreamingTransport {
        let base: Base
        let moment: Moment

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await base.send(request, observer: observer)
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            if moment == .request { throw Refusal(responseStatus: nil) }
            let response = try await base.stream(request, observer: observer)
            if moment == .head, response.status == .partialContent { throw Refusal(responseStatus: response.status) }
            guard moment == .end else { return response }
            let bytes = try await response.body.collect(upTo: 1 << 20)
            let (body, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
            continuation.yield(bytes)
            continuation.finish(throwing: Refusal(responseStatus: nil))
            return HTTPResponseStream(head: response.head, body: body)
        }
    }

    @Test(arguments: [false, true]) func `a body that a layer refuses at its end leaves no bytes`(isResumed: Bool)
        async throws
    {
        let options = DownloadOptions(resumes: true)
        if isResumed {
            await #expect(throws: TransportError.self) {
                try await Breaking(ServiceTransport(shelf), after: 40_000)
                    .download(request(), to: target, options: options)
            }
        }
        let transport = Refusing(base: ServiceTransport(shelf), moment: .end)
        await #expect(throws: Refusal.self) {
            try await transport.download(request(), to: target, options: options)
        }
        #expect(try folder?.names == [])
        #expect(shelf.ranges == (isResumed ? [nil, "bytes=40000-"] : [nil]))
    }

    @Test func `a part whose head a layer refuses starts the download over, and a refused request does not`()
        async throws
    {
        let options = DownloadOptions(resumes: true)
        await #expect(throws: TransportError.self) {
            try await Breaking(ServiceTransport(shelf), after: 40_000)
                .download(request(), to: target, options: options)
        }
        await #expect(throws: Refusal.self) {
            try await Refusing(base: ServiceTransport(shelf), moment: .request)
                .download(request(), to: target, options: options)
        }
        let file = try await Refusing(base: ServiceTransport(shelf), moment: .head)
            .download(request(), to: target, options: options)
        #expect(try Data(contentsOf: target) == Self.content && file.resumedBytes == 0)
        #expect(shelf.ranges == [nil, "bytes=40000-", nil])
    }

    @Test func `a part with a content coding that it was not asked for starts the download over`() async throws {
        let shelf = shelf
        let service = ClosureService { request in
            var response = try await shelf.respond(to: request)
            if response.status == .partialContent { try response.head.fields.set(.contentEncoding, to: "gzip") }
            return response
        }
        try await withServer(service: service) { server, transport in
            let options = DownloadOptions(resumes: true)
            await #expect(throws: TransportError.self) {
                try await Breaking(transport, after: 40_000).download(server.request(), to: target, options: options)
            }
            let file = try await transport.download(server.request(), to: target, options: options)
            #expect(try Data(contentsOf: target) == Self.content && file.resumedBytes == 0)
            #expect(shelf.ranges == [nil, shelf.ranges[1], nil] && shelf.ranges[1] != nil)
        }
    }
}
