import Foundation
import HTTPCaching
import HTTPMessages
import PatchbayTestKit
import SQLiteStore
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct CacheStreamTests {
    private let folder: TemporaryFolder
    private let cache: HTTPCache
    private let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

    init() async throws {
        folder = try TemporaryFolder()
        cache = try await HTTPCache(
            in: try SQLiteStore(.memory), files: folder.url.appending(path: "bodies"),
            limits: .init(bytes: 8 << 20, bodyBytes: 200_000, rowBytes: 10_000)
        ).opened()
    }

    private func origin(_ fields: [(String, String)] = [("Cache-Control", "max-age=86400")]) -> TestOrigin {
        TestOrigin { [body] request, _ in
            var response = HTTPResponse.test(request, fields)
            response.body = body
            return response
        }
    }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.url.appending(path: "bodies").path)) ?? []
    }

    @Test func `a streamed body is stored at its end, a large one in a file`() async throws {
        let origin = origin()
        let transport = origin.transport.caching(in: cache)
        #expect(try await transport.stream(.test()).body.collect() == body)
        await cache.waitUntilIdle()
        #expect(files.count == 1)
        let again = try await transport.stream(.test())
        #expect(again.head.cacheStatus?.isHit == true)
        #expect(try await again.body.collect() == body)
        #expect(try await transport.send(.test()).body == body)
        let part = try await transport.send(.test(.get, "/a", ["Range": "bytes=50000-50099"]))
        #expect((part.status.code, part.body) == (206, body[50_000..<50_100]))
        #expect(origin.count == 1)
        try await cache.removeAll()
        #expect(files.isEmpty)
    }

    @Test func `a response that is evicted is still read to its end`() async throws {
        let transport = origin().transport.caching(in: cache)
        _ = try await transport.send(.test())
        await cache.waitUntilIdle()
        let response = try await transport.stream(.test())
        #expect(response.head.cacheStatus?.isHit == true)
        try await cache.removeAll()
        #expect(try await response.body.collect() == body)
    }

    @Test func `a reader that leaves stores nothing`() async throws {
        let origin = origin()
        let transport = origin.transport.caching(in: cache)
        do {
            let response = try await transport.stream(.test())
            for try await _ in response.body { break }
        }
        _ = try await transport.stream(.test())
        await cache.waitUntilIdle()
        #expect(cache.statistics.stored == 0)
        #expect(files.isEmpty)
        #expect(origin.count == 2)
    }

    @Test func `a body that is cut or fails is not stored`() async throws {
        let lengths = ["99999", "100001"]
        for length in lengths {
            let transport = origin([("Cache-Control", "max-age=86400"), ("Content-Length", length)]).transport
                .caching(in: cache)
            _ = try await transport.stream(.test()).body.collect()
            _ = try await transport.send(.test())
        }
        let failing = FailingStream().caching(in: cache)
        let response = try await failing.stream(.test())
        await #expect(throws: TransportError.self) { try await response.body.collect() }
        await cache.waitUntilIdle()
        #expect(cache.statistics.stored == 0)
        #expect(files.isEmpty)
    }

    @Test func `a body over the limit is not stored`() async throws {
        let origin = TestOrigin { request, _ in
            var response = HTTPResponse.test(request, [("Cache-Control", "max-age=86400")])
            response.body = Data(count: 300_000)
            return response
        }
        let transport = origin.transport.caching(in: cache)
        #expect(try await transport.stream(.test()).body.collect().count == 300_000)
        #expect(try await transport.send(.test()).body.count == 300_000)
        await cache.waitUntilIdle()
        #expect(cache.statistics.entries == 0)
        #expect(files.isEmpty)
        #expect(origin.count == 2)
    }

    @Test func `a file that is missing or cut is a miss`() async throws {
        let origin = origin()
        let transport = origin.transport.caching(in: cache)
        for change in [0, 1] {
            _ = try await transport.send(.test())
            await cache.waitUntilIdle()
            let file = folder.url.appending(path: "bodies").appending(path: try #require(files.first))
            if change == 0 { try FileManager.default.removeItem(at: file) } else { try Data(count: 7).write(to: file) }
            let events = EventRecorder()
            #expect(try await transport.send(.test(), observer: events).body == body)
            #expect(events.cacheEvents.contains { $0.hasPrefix("cache failed") })
            try await cache.removeAll()
        }
        #expect(origin.count == 4)
    }
}

extension CacheStreamTests {
    @Test(arguments: [false, true])
    func `a body that is larger than what may wait in memory is stored`(isInFile: Bool) async throws {
        let cache = try await HTTPCache(
            in: try SQLiteStore(.memory), files: isInFile ? folder.url.appending(path: "bodies") : nil,
            limits: .init(bytes: 1 << 30, bodyBytes: 100 << 20)
        ).opened()
        let origin = TestOrigin { request, _ in
            var response = HTTPResponse.test(request, [("Cache-Control", "max-age=86400")])
            response.body = Data(count: 33 << 20)
            return response
        }
        let transport = origin.transport.caching(in: cache)
        #expect(try await transport.stream(.test()).body.collect().count == 33 << 20)
        await cache.waitUntilIdle()
        let hit = try await transport.send(.test { $0.maximumResponseBytes = 64 << 20 })
        #expect((hit.head.cacheStatus?.isHit, hit.body.count) == (true, 33 << 20))
        #expect(files.count == (isInFile ? 1 : 0))
    }

    @Test(arguments: [false, true])
    func `an observer that is immediate is one for the layers below, too`(isImmediate: Bool) async throws {
        let details = DetailObserver(isImmediate: isImmediate)
        let transport = DetailTransport().caching(in: cache)
        _ = try await transport.send(.test(.get, "/sent"), observer: details)
        _ = try await transport.stream(.test(), observer: details).body.collect()
        #expect(details.count.value == (isImmediate ? 2 : 0))
    }

    @Test func `a body in a file stays when a 304 has another Vary`() async throws {
        let origin = TestOrigin { [body] request, number in
            let fields = [("Cache-Control", "no-cache"), ("ETag", "\"1\""), ("Vary", number % 2 == 0 ? "A" : "B")]
            guard request.fields[.ifNoneMatch] == nil else { return .test(request, status: 304, fields) }
            var response = HTTPResponse.test(request, fields)
            response.body = body
            return response
        }
        let transport = origin.transport.caching(in: cache)
        for round in 0..<4 {
            let response = try await transport.send(.test())
            #expect(response.body == body)
            #expect(response.head.cacheStatus?.forwardStatus == (round == 0 ? nil : 304))
            await cache.waitUntilIdle()
            #expect((files.count, cache.statistics.failures) == (1, 0))
        }
        #expect(origin.count == 4)
    }

    @Test func `a missing file that the store cannot forget is a miss`() async throws {
        let store = try SQLiteStore(.file(folder.url.appending(path: "cache.sqlite").path))
        let bodies = folder.url.appending(path: "bodies")
        let origin = TestOrigin { request, number in
            HTTPResponse.test(
                request, [("Cache-Control", "max-age=86400")], String(repeating: "\(number)", count: 1_000))
        }
        let limits = HTTPCache.Limits(rowBytes: 100)
        let cache = try await HTTPCache(in: store, files: bodies, limits: limits).opened()
        _ = try await origin.transport.caching(in: cache).send(.test())
        await cache.waitUntilIdle()
        try FileManager.default.removeItem(at: bodies)
        try store.close()
        var configuration = SQLiteStore.Configuration()
        configuration.access = .readOnly
        let readOnly = try SQLiteStore(
            .file(folder.url.appending(path: "cache.sqlite").path), configuration: configuration)
        let other = HTTPCache(in: readOnly, files: bodies, limits: limits)
        for number in 2...3 {
            #expect(try await origin.transport.caching(in: other).send(.test()).text.hasPrefix("\(number)"))
            await other.waitUntilIdle()
        }
    }
}

/// Counts the details that it gets.
private struct DetailObserver: TransferObserver {
    let isImmediate: Bool
    let count = Watched(0)

    func transfer(didEmit event: TransferEvent) {
        if case .layer(is Detail) = event { count.update { $0 += 1 } }
    }
}

private struct Detail: DetailEvent { var description: String { "detail" } }

/// Reports a detail of each request.
private struct DetailTransport: StreamingTransport {
    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        observer?.report(Detail())
        return .test(request)
    }

    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        observer?.report(Detail())
        return HTTPResponseStream(head: HTTPResponse.test(request).head, body: AsyncStream<Data> { $0.finish() })
    }
}

/// Sends half of a body, and fails.
private struct FailingStream: StreamingTransport {
    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        throw TransportError(.truncated, "Truncated.", request: request)
    }

    func stream(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponseStream {
        let head = HTTPResponse.test(request, [("Cache-Control", "max-age=86400")]).head
        let body = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data(count: 20_000))
            continuation.finish(throwing: TransportError(.truncated, "Truncated.", request: request))
        }
        return HTTPResponseStream(head: head, body: body)
    }
}
