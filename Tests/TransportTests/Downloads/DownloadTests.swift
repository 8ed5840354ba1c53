import Coordination
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing

@testable import Transport

@Suite(.needsSlot) struct DownloadTests {
    private let folder = try? TemporaryFolder()

    /// Lets time pass before each response, and records the total timeouts.
    private struct Slow<Base: StreamingTransport>: StreamingTransport {
        let base: Base
        let clock: ManualClock
        let totals = Shared<[Duration?]>([])

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            try await base.send(request, observer: observer)
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            totals.withLock { $0.append(request.options.timeouts.total) }
            await clock.advance(by: .milliseconds(1500))
            return try await base.stream(request, observer: observer)
        }
    }

    @Test(arguments: [nil, Duration.seconds(2), .milliseconds(1500)])
    func `the total timeout spans a download that starts over`(total: Duration?) async throws {
        let target = try #require(folder).url.appending(path: "file")
        let resuming = DownloadOptions(resumes: true)
        let request = try HTTPRequest(.get, "http://h/file")
        let shelf = FileShelf(bytes(100_000), manner: .wrongRange)
        await #expect(throws: TransportError.self) {
            try await Breaking(ServiceTransport(shelf), after: 40_000)
                .download(request, to: target, options: resuming)
        }
        let clock = ManualClock()
        let transport = Slow(base: ServiceTransport(shelf), clock: clock)
        var timed = request
        timed.options.timeouts.total = total
        let download = Download(
            base: transport, request: timed, file: target, options: resuming, observer: nil,
            clock: AnyMonotonicClock(clock))
        if total == .milliseconds(1500) {
            let error = try await transportError { try await download.run() }
            #expect(error.code == .timedOut && error.phase == .total && transport.totals.withLock(\.self) == [total])
        } else {
            #expect(try await download.run().byteCount == 100_000)
            #expect(transport.totals.withLock(\.self) == [total, total.map { $0 - .milliseconds(1500) }])
        }
    }

    /// Streams a status without the end of its body.
    private struct Failing: StreamingTransport {
        let isAsked = Gate()

        func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
            request.response(.notFound)
        }

        func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
            isAsked.open()
            return HTTPResponseStream(head: request.response(.notFound).head, body: AsyncStream<Data> { _ in })
        }
    }

    @Test func `a download that is cancelled while it reads an error's body is cancelled`() async throws {
        let target = try #require(folder).url.appending(path: "file")
        let transport = Failing()
        let request = try HTTPRequest(.get, "http://h/file")
        let call = Task { try await transport.download(request, to: target) }
        try await transport.isAsked.wait()
        call.cancel()
        let error = try await transportError { try await call.value }
        #expect(error.code == .cancelled && error.head?.status == .notFound)
        #expect(try folder?.names == [])
    }
}
